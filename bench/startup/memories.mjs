const BATCH = 500;
const WORDS =
  `allotment apprentice autumn bench bicycle birthday black boat bread bridge bus cello coach coast code coffee cousin
  customer dog door evening fence ferry frost garden gate greyhound harbour holiday instrument invoice jam kettle key
  landlord lease letter licence lighthouse market meeting mother night notebook October padlock paint passport pear
  plumber Portuguese quiet rain recipe repair roof school shed sister soup spinach staircase tax telephone ticket
  timetable train tram viola violin visit walk water window winter workshop yellow`.split(/\s+/);

/**
 * Posts one batch of 500 memories of 12 to 51 words, the same ones for the same `number`.
 *
 * @param {string} url
 * @param {number} number
 */
export async function postBatch(url, number) {
  const memories = Array.from({ length: BATCH }, (_, index) => ({ content: sentence(number * BATCH + index) }));
  const reply = await fetch(`${url}/v1/memories/batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_id: "bench", memories }),
  });
  if (!reply.ok) throw new Error(`batch ${number}: ${reply.status} ${await reply.text()}`);
  await reply.arrayBuffer();
}

/**
 * @param {string} url
 * @param {number} count
 */
export async function fillStore(url, count) {
  for (let number = 0; number < count / BATCH; number += 1) await postBatch(url, number);
}

/** @param {number} seed */
function sentence(seed) {
  let state = seed + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  const length = 12 + (seed % 40);
  return `${Array.from({ length }, () => WORDS[next() % WORDS.length]).join(" ")} ${seed}.`;
}
