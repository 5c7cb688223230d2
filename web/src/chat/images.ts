// Pictures from the clipboard, a drop or a file, as the wire wants them.

import { bytes } from "../core/format.ts";
import { t } from "../core/words.ts";
import type { Image } from "../core/types.ts";

const MOST = 5 * 1024 * 1024;

export const accepted = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(type);

export async function readImages(files: File[]): Promise<Image[]> {
  const out: Image[] = [];
  for (const file of files) {
    if (!accepted(file.type)) throw new Error(t("page.image.kind", { name: file.name }));
    if (file.size > MOST) throw new Error(t("page.image.large", { name: file.name, size: bytes(file.size), most: bytes(MOST) }));
    out.push({ media_type: file.type, data: await base64(file), name: file.name });
  }
  return out;
}

const base64 = (file: File): Promise<string> =>
  new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
