const K1 = 1.2;
const B = 0.75;

/**
 * BM25 (Robertson and Zaragoza 2009) over documents' terms: k1 1.2, b .75, idf ln(1 + (N − df + .5) / (df + .5)), each
 * distinct term of the query once.
 */
export class Bm25Index {
  #postings = new Map();
  #lengths;
  #average;
  #idf;

  /**
   * @param {{ terms: Map<string, number>, length: number }[]} documents
   * @param {(documents: number, frequency: number) => number} idf
   */
  constructor(documents, idf) {
    this.#lengths = documents.map(({ length }) => length);
    this.#average = this.#lengths.reduce((sum, length) => sum + length, 0) / documents.length;
    this.#idf = idf;
    for (const [document, { terms }] of documents.entries()) {
      for (const [term, frequency] of terms) {
        if (!this.#postings.has(term)) this.#postings.set(term, []);
        this.#postings.get(term).push([document, frequency]);
      }
    }
  }

  /** Score and idf-weighted share of the query's terms (see core/bm25.ts) of each document that has one. */
  search(terms) {
    const found = new Map();
    let all = 0;
    for (const term of terms) {
      const postings = this.#postings.get(term) ?? [];
      const idf = this.#idf(this.#lengths.length, postings.length);
      all += idf;
      for (const [document, frequency] of postings) {
        const saturated = (frequency * (K1 + 1)) / (frequency + K1 * this.#penalty(document));
        const before = found.get(document) ?? { score: 0, matched: 0 };
        found.set(document, { score: before.score + idf * saturated, matched: before.matched + idf });
      }
    }
    return new Map([...found].map(([document, { score, matched }]) => [document, { score, coverage: matched / all }]));
  }

  #penalty(document) {
    return 1 - B + (B * this.#lengths[document]) / this.#average;
  }
}
