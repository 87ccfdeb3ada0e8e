// A Gin engine for Node in a hundred lines: it speaks the engine protocol and plays by a few rules of thumb.
//
//     rummylab match gin "engine:node examples/engine.js" random --games 20
//
// The front end sends a JSON object a line: hello, options, position, go, stop, quit. The engine answers each "go" with a
// "bestmove". It keeps no state but the last position. docs/reference/engine-protocol.md describes every message.

"use strict";
const readline = require("node:readline");

const RANKS = "A23456789TJQK";
const value = (card) => Math.min(RANKS.indexOf(card[0]) + 1, 10);
const points = (cards) => cards.reduce((sum, card) => sum + value(card), 0);

// --- Melds -----------------------------------------------------------------------------------------------------------

/** Return every group and run of three or more in a hand. */
function melds(cards) {
  const found = [];
  for (const rank of RANKS) {
    const same = cards.filter((card) => card[0] === rank);
    if (same.length >= 3) found.push(same);
    if (same.length === 4) for (const card of same) found.push(same.filter((other) => other !== card));
  }
  for (const suit of "chsd") {
    for (let low = 0; low < 11; low++) {
      const run = [];
      for (let rank = low; rank < 13 && cards.includes(RANKS[rank] + suit); rank++) {
        run.push(RANKS[rank] + suit);
        if (run.length >= 3) found.push([...run]);
      }
    }
  }
  return found;
}

/** Return the arrangement of a hand with the least deadwood. */
function arrange(cards) {
  let best = { deadwood: points(cards), melds: [] };
  for (const meld of melds(cards)) {
    const rest = arrange(cards.filter((card) => !meld.includes(card)));
    if (rest.deadwood < best.deadwood) best = { deadwood: rest.deadwood, melds: [meld, ...rest.melds] };
  }
  return best;
}

/** Return the deadwood of a hand after its best discard. */
const afterDiscard = (cards) => Math.min(...cards.map((card) => arrange(cards.filter((c) => c !== card)).deadwood));

// --- The engine ------------------------------------------------------------------------------------------------------

/** Return the legal moves of a position with what each is worth: minus the deadwood that it leaves. */
function valued(position, legal) {
  const hand = position.hand;
  return legal
    .map((action) => {
      const [verb, ...cards] = action.split(" ");
      let worth = 0;
      if (verb === "discard" || verb === "knock") {
        worth = -arrange(hand.filter((card) => card !== cards[0])).deadwood + (verb === "knock" ? 20 : 0);
      } else if (action === "draw upcard") {
        worth = afterDiscard([...hand, position.upcard]) < arrange(hand).deadwood ? 1 : -1;
      } else if (verb === "meld") {
        const left = hand.filter((card) => !cards.includes(card));
        worth = 100 - arrange(left).deadwood;
      }
      return { action, points: worth, reasons: [] };
    })
    .sort((one, other) => other.points - one.points);
}

let last = null;

/** Return the answer to one message. */
function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", protocol: 1, engine: "thumb", version: "1", games: { gin: ["thumb"] }, values: true };
    case "options":
      return { type: "options" };
    case "position":
      last = message.position;
      return { type: "position", game: "gin", seat: last.seat, legal: [] };
    case "go": {
      const position = message.position ?? last;
      if (!position || typeof position === "string") throw new Error("send the position as JSON");
      if (!message.legal) throw new Error("send the legal moves: this engine does not know all rules");
      const values = valued(position, message.legal);
      return { type: "bestmove", game: "gin", seat: position.seat, move: values[0].action, values: values.slice(0, 5) };
    }
    case "stop":
      return null;
    default:
      throw new Error(`no message has the type ${message.type}`);
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let reply;
  let id;
  try {
    const message = JSON.parse(line);
    id = message.id;
    if (message.type === "quit") process.exit(0);
    reply = answer(message);
  } catch (error) {
    reply = { type: "error", message: error.message };
  }
  if (reply) console.log(JSON.stringify(id === undefined ? reply : { ...reply, id }));
});
