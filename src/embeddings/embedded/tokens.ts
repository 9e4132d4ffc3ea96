import { readFile } from "node:fs/promises";
import * as library from "@huggingface/tokenizers";
import { MODEL_FILES } from "./model-package.js";

/** WordPiece gives a word of more characters than this up as one unknown token. */
const LONGEST_READABLE_WORD = 100;
const UNKNOWN_TOKEN = "[UNK]";

/** Rare ideographs, which the model's own tokeniser splits and `@huggingface/tokenizers` 0.2.0 does not. */
const SUPPLEMENTARY_IDEOGRAPHS = /[\u{20000}-\u{2fa1f}]/gu;

/** What is used of the library, whose own declarations do not resolve under `moduleResolution: NodeNext` (0.2.0). */
interface Tokenizer {
  readonly normalizer: { normalize(text: string): string } | null;
  readonly pre_tokenizer: { pre_tokenize(text: string): string[] } | null;
  encode(text: string, options?: { readonly add_special_tokens: boolean }): { readonly ids: number[] };
  token_to_id(token: string): number | undefined;
}

const { Tokenizer } = library as unknown as { Tokenizer: new (definition: object, config: object) => Tokenizer };

/** The model's WordPiece tokeniser. */
export class WordPieceTokens {
  private readonly unknownId: number | undefined;

  private constructor(private readonly tokenizer: Tokenizer) {
    this.unknownId = tokenizer.token_to_id(UNKNOWN_TOKEN);
  }

  static async load(): Promise<WordPieceTokens> {
    const definition = JSON.parse(await readFile(MODEL_FILES.tokenizer, "utf8")) as object;
    return new WordPieceTokens(new Tokenizer(definition, {}));
  }

  /** Token ids of `text` with the two special tokens around them; `[CLS]` and `[SEP]` alone for a blank text. */
  encode(text: string): number[] {
    return this.tokenizer.encode(text).ids;
  }

  /** Tokens of `text` without special tokens. */
  count(text: string): number {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  }

  /** Whether `text`, encoded as `ids`, has a word so long that the model sees nothing of it. */
  hasUnreadableWord(text: string, ids: readonly number[]): boolean {
    if (text.length <= LONGEST_READABLE_WORD || !ids.some((id) => id === this.unknownId)) return false;
    return this.words(text).some((word) => Array.from(word).length > LONGEST_READABLE_WORD);
  }

  private words(text: string): string[] {
    const normalised = this.tokenizer.normalizer?.normalize(text) ?? text;
    return this.tokenizer.pre_tokenizer?.pre_tokenize(normalised) ?? [];
  }
}

/** The form of a text that both runtimes read alike: well-formed UTF-16, every rare ideograph a word of its own. */
export function toReadableText(text: string): string {
  return text.toWellFormed().replace(SUPPLEMENTARY_IDEOGRAPHS, " $& ");
}
