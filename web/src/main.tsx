import { render } from "preact";
import { App } from "./App.tsx";
import { get } from "./core/api.ts";
import { open, version } from "./core/store.ts";
import { dress } from "./core/theme.ts";
import { language, recall, speak, type Language } from "./core/words.ts";
import "./style/app.css";

async function start(): Promise<void> {
  dress();
  const wanted = recall("language") as Language | null;
  if (wanted) language.value = wanted;
  const [about] = await Promise.all([get<{ version: string; language: Language }>("/api/about"), wanted && speak(wanted)]);
  version.value = about.version;
  if (!wanted) await speak(about.language);
  const root = document.getElementById("app") as HTMLElement;
  root.textContent = "";
  render(<App />, root);
  await open();
}

start().catch((why) => {
  // The catalogue itself could not be had; the server's own sentence is all there is to show.
  document.body.textContent = why instanceof Error ? why.message : String(why);
});
