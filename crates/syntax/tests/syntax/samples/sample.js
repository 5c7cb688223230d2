'use strict';
const fs = require('fs');
const a = 1, b = 2;

/**
 * Adds.
 */
function add(x, y) {
  const inner = (z) => {
    return z;
  };
  function deeper() {
    return 1;
  }
  return x + y;
}

export default function main() {
  return add(1, 2);
}

export const arrow = async (x) => x * 2;

export const longer = (x) => {
  return `
text ${x}
`;
};

/** A queue. */
export class Queue extends Base {
  static count = 0;
  #items = [];

  constructor() {
    super();
  }

  get size() {
    return this.#items.length;
  }

  // Adds one.
  async push(item) {
    this.#items.push(item);
  }

  handle = (event) => {
    this.push(event);
  };

  #clear() {}
}

module.exports = {
  add,
  remove: function (x) {
    return x;
  },
  // Looks.
  find(x) {
    return x;
  },
  last: (x) => x,
};

Queue.prototype.peek = function () {
  return this.items[0];
};

exports.helper = function helper() {};

function* ids() {
  yield 1;
}

for (let i = 0; i < 3; i++) {
  add(i, i);
}
