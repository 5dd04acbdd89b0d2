// Acts wait in this browser until the server has said that they are on its disk. One record an act, so that
// two tabs never overwrite each other; sent in order; sending twice does no harm, each has its own token.

import { random } from "./text.js";

const PAUSE = [500, 1000, 2000, 4000, 8000];
const PATIENCE = 10000;

export class Queue {
  constructor(desk, { arrived, state, at = `/desk/${desk}` }) {
    this.desk = desk;
    this.at = at; // where acts and events are sent
    this.prefix = `evenhand:${desk}:act:`;
    this.arrived = arrived;
    this.state = state;
    this.memory = new Map(); // where the browser keeps nothing
    this.busy = false;
    this.again = false;
    this.fails = 0;
    this.timer = 0;
    this.events = [];
    this.counter = 0;
    addEventListener("online", () => this.flush());
    addEventListener("pagehide", () => this.tell(true));
    setInterval(() => this.tell(false), 10000);
  }

  keys() {
    const found = [...this.memory.keys()];
    try {
      for (let i = 0; i < localStorage.length; i += 1) {
        const key = localStorage.key(i);
        if (key.startsWith(this.prefix)) found.push(key);
      }
    } catch { /* no storage: memory only */ }
    return found.sort();
  }

  read(key) {
    try {
      return this.memory.get(key) ?? JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  waiting() {
    return this.keys().map((key) => this.read(key)).filter(Boolean);
  }

  add(act) {
    this.counter += 1;
    const key = `${this.prefix}${String(Date.now()).padStart(15, "0")}:${String(this.counter).padStart(8, "0")}:${act.token}`;
    try {
      localStorage.setItem(key, JSON.stringify(act));
    } catch {
      this.memory.set(key, act);
    }
    this.state("saving", this.keys().length);
    this.flush();
  }

  drop(key) {
    this.memory.delete(key);
    try { localStorage.removeItem(key); } catch { /* memory only */ }
  }

  event(kind, task = "", body = {}) {
    this.events.push({ token: random(), kind, at: new Date().toISOString(), task, body });
    if (this.events.length > 400) this.events.splice(0, 100);
  }

  async tell(leaving) {
    if (!this.events.length || (!leaving && this.fails)) return;
    const batch = this.events.splice(0, 200);
    try {
      await post(`${this.at}/events.json`, { events: batch }, { keepalive: leaving });
    } catch {
      this.events.unshift(...batch);
    }
  }

  async flush() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    clearTimeout(this.timer);
    try {
      if (navigator.locks) await navigator.locks.request(`evenhand:${this.desk}`, () => this.deliver());
      else await this.deliver();
    } finally {
      this.busy = false;
    }
    if (this.again) {
      this.again = false;
      if (!this.fails) this.flush();
    }
  }

  async deliver() {
    for (let keys = this.keys(); keys.length; keys = this.keys()) {
      const batch = keys.slice(0, 50).map((key) => [key, this.read(key)]).filter(([key, act]) => act || this.drop(key));
      if (!batch.length) break;
      let said;
      try {
        said = await post(`${this.at}/answers.json`, { answers: batch.map(([, act]) => act) });
      } catch (error) {
        this.fails += 1;
        const out = error.status === 401 || error.status === 403 || error.status === 404;
        this.state(out ? "out" : "away", this.keys().length);
        if (this.fails === 1) this.event("queued", "", { waiting: keys.length });
        this.timer = setTimeout(() => this.flush(), PAUSE[Math.min(this.fails, PAUSE.length) - 1]);
        return;
      }
      if (this.fails) this.event("delivered", "", { waiting: keys.length });
      this.fails = 0;
      const known = new Map(said.results.map((one) => [one.token, one]));
      for (const [key, act] of batch) {
        const result = known.get(act.token);
        if (result) {
          this.drop(key);
          this.arrived(act, result, said);
        }
      }
      if (!known.size) break;
    }
    this.state("saved", this.keys().length);
  }
}

export async function post(url, content, options = {}) {
  return ask(url, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content), ...options,
  });
}

export async function ask(url, options = {}) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const answer = await fetch(url, { credentials: "same-origin", signal: stop.signal, ...options });
    if (!answer.ok) throw Object.assign(new Error("refused"), { status: answer.status });
    return await answer.json();
  } finally {
    clearTimeout(timer);
  }
}
