// The search runs in a web worker. Browsers refuse to start one for a page that was opened from disk;
// there, this class runs the same script in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>search</title><body></body>";
      this.frame.addEventListener("load", () => this.start(String(script)), { once: true });
      document.body.append(this.frame);
    }

    start(script) {
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const loader = inside.document.createElement("script");
      loader.src = script;
      loader.addEventListener("load", () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
      loader.addEventListener("error", () => this.dispatchEvent(new Event("error")));
      inside.document.body.append(loader);
    }

    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
      } else {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      }
    }

    terminate() {
      this.frame.remove();
    }
  };
}
