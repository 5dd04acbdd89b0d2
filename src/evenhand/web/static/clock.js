// Active time on an item: while the page is looked at, and at most a minute beyond the last sign of life.

const IDLE = 60000;
const SIGNS = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"];

export class Clock {
  constructor(event) {
    this.event = event;
    this.active = 0;
    this.last = performance.now();
    this.away = document.hidden;
    for (const sign of SIGNS) addEventListener(sign, () => this.alive(), { passive: true, capture: true });
    addEventListener("blur", () => this.leave());
    addEventListener("focus", () => this.back());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.leave() : this.back()));
  }

  alive() {
    const now = performance.now();
    if (this.away) {
      if (document.hidden) return;
      this.back();
    }
    const gap = now - this.last;
    if (gap > IDLE) this.event("idle", { ms: Math.round(gap) });
    this.active += Math.min(gap, IDLE);
    this.last = now;
  }

  leave() {
    if (this.away) return;
    this.active += Math.min(performance.now() - this.last, IDLE);
    this.away = true;
    this.event("away");
  }

  back() {
    if (!this.away) return;
    this.away = false;
    this.last = performance.now();
    this.event("back");
  }

  begin() {
    this.active = 0;
    this.last = performance.now();
  }

  read() {
    this.alive();
    return Math.min(Math.round(this.active), 86400000);
  }
}
