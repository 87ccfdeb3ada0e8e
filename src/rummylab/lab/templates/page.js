for (const table of document.querySelectorAll("table")) {
  table.classList.add("sorts");
  table.querySelectorAll("th").forEach((th, column) => {
    const key = row => {
      const text = row.cells[column].textContent;
      const number = /[-+]?\d[\d,]*(\.\d+)?/.exec(text.replace("−", "-"));
      return th.style.textAlign === "right" && number ? +number[0].replaceAll(",", "") : text;
    };
    const sort = () => {
      const up = th.getAttribute("aria-sort") !== "ascending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => { const x = key(a), y = key(b); return (x > y) - (x < y); });
      body.append(...(up ? rows : rows.reverse()));
    };
    th.tabIndex = 0;
    th.addEventListener("click", sort);
    th.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
  });
}
