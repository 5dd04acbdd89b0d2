// One key an act; which key is the judge's own choice, kept in this browser.

const STORE = "evenhand:keys";

export class Keys {
  constructor(acts) {
    this.acts = acts; // [{name, label, key}]
    const taken = new Set(acts.filter((act) => act.name.startsWith("level:")).map((act) => act.key));
    this.standard = Object.fromEntries(acts.map((act) => [
      act.name, !act.name.startsWith("level:") && taken.has(act.key) ? act.key.toUpperCase() : act.key,
    ]));
    this.own = {};
    try { this.own = JSON.parse(localStorage.getItem(STORE)) || {}; } catch { /* the standard ones */ }
  }

  key(name) {
    const key = this.own[name];
    return typeof key === "string" && key.length ? key : this.standard[name];
  }

  act(key) {
    return this.acts.find((act) => this.key(act.name) === key)?.name
      ?? this.acts.find((act) => this.key(act.name) === key.toLowerCase() && key.length === 1)?.name;
  }

  // an error in words, or nothing
  set(name, key) {
    if (["Escape", "Tab", "Enter", "Shift", " "].includes(key)) return "That key is needed elsewhere.";
    const other = this.acts.find((act) => act.name !== name && this.key(act.name) === key);
    if (other) return `That key is taken: ${other.label}.`;
    this.own[name] = key;
    this.keep();
    return "";
  }

  reset() {
    this.own = {};
    this.keep();
  }

  keep() {
    try { localStorage.setItem(STORE, JSON.stringify(this.own)); } catch { /* until the page is left */ }
  }
}

export const shown = (key) => ({ Backspace: "⌫", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" })[key] ?? key;
