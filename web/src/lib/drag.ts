// Drag by mouse, pen or finger: the same pointer events. What is dropped on is found by `data-drop`.

export type Drop = { target: string; x: number; y: number };
export type DragOptions = { enabled: boolean; targets: string[]; ondrop: (drop: Drop) => void };

const FAR = 9; // pixels before a press is a drag: a shaky tap stays a tap

export function draggable(node: HTMLElement, options: DragOptions): { update: (next: DragOptions) => void; destroy: () => void } {
  let now = options;
  let start: { x: number; y: number; id: number } | null = null;
  let moving = false;
  let over: Element | null = null;

  const find = (x: number, y: number): Element | null => {
    for (const element of document.elementsFromPoint(x, y)) {
      const target = element.closest("[data-drop]");
      if (target && !node.contains(target) && now.targets.includes(target.getAttribute("data-drop")!)) return target;
    }
    return null;
  };
  const mark = (target: Element | null): void => {
    if (over === target) return;
    over?.classList.remove("drop-over");
    target?.classList.add("drop-over");
    over = target;
  };
  const down = (event: PointerEvent): void => {
    if (!now.enabled || event.button !== 0) return;
    start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    moving = false;
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", end);
  };
  const move = (event: PointerEvent): void => {
    if (!start || event.pointerId !== start.id) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    if (!moving && Math.hypot(dx, dy) > FAR) {
      moving = true;
      node.classList.add("dragging");
      document.body.classList.add("drag-on");
    }
    if (moving) {
      node.style.translate = `${dx}px ${dy}px`;
      mark(find(event.clientX, event.clientY));
    }
  };
  const up = (event: PointerEvent): void => {
    if (moving && over) {
      const target = over.getAttribute("data-drop")!;
      const drop = { target, x: event.clientX, y: event.clientY };
      end();
      now.ondrop(drop);
    } else end();
  };
  const end = (): void => {
    if (moving) addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 60);
    mark(null);
    node.classList.remove("dragging");
    document.body.classList.remove("drag-on");
    node.style.translate = "";
    start = null;
    moving = false;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", end);
  };
  const swallow = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
  };
  node.addEventListener("pointerdown", down);
  node.addEventListener("dragstart", swallow);
  return {
    update: (next) => (now = next),
    destroy: () => {
      end();
      node.removeEventListener("pointerdown", down);
      node.removeEventListener("dragstart", swallow);
    },
  };
}
