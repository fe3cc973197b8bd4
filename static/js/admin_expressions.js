// The expressions in unfold's attributes (x-data="{ open: false }"), read and computed here instead of by Alpine, which
// has the browser compile them. So no page needs 'unsafe-eval' in its policy, and what got into a page as an attribute
// reaches the data of unfold's components and the few functions below, not the whole window.
//
// The part of JavaScript that unfold's templates use: names, literals, members, calls, operators, assignments, arrow
// functions of one expression, and statements (if, else, blocks). Whatever else an expression has is reported as an
// error of the page, as Alpine does, and the rest of the page works.
(() => {
  // What expressions may call besides the data of components: functions of unfold's app.js.
  const FUNCTIONS = ["theme", "searchForm", "searchDropdown", "searchCommand", "getCurrentTab", "moveRecords", "sortRecords"];
  const CONSTANTS = { true: true, false: false, null: null, undefined: undefined };
  // Members that lead from any value to the window or to a compiler.
  const REFUSED = new Set(["constructor", "prototype", "__proto__", "ownerDocument", "defaultView", "view"]);
  const TOKEN =
    /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\p{L}_$][\p{L}\p{N}_$]*)|(=>|===|!==|==|!=|<=|>=|&&|\|\||[-+<>!?:.,;=()[\]{}]))/uy;
  // Operators of two values, loosest first. && and || compute their right side only where it counts.
  const LEVELS = [["||"], ["&&"], ["===", "!==", "==", "!="], ["<", ">", "<=", ">="], ["+", "-"]];
  const OPERATIONS = {
    "||": (left, right) => left() || right(),
    "&&": (left, right) => left() && right(),
    "===": (left, right) => left() === right(),
    "!==": (left, right) => left() !== right(),
    "==": (left, right) => left() == right(),
    "!=": (left, right) => left() != right(),
    "<": (left, right) => left() < right(),
    ">": (left, right) => left() > right(),
    "<=": (left, right) => left() <= right(),
    ">=": (left, right) => left() >= right(),
    "+": (left, right) => left() + right(),
    "-": (left, right) => left() - right(),
  };

  function tokensOf(text) {
    const tokens = [];
    const end = text.trimEnd().length;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < end) {
      const at = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match) throw new SyntaxError(`unexpected ${text.slice(at).trim()[0]}`);
      const [, number, string, name, sign] = match;
      if (number) tokens.push({ kind: "value", value: Number(number) });
      else if (string) tokens.push({ kind: "value", value: string.slice(1, -1).replace(/\\(.)/g, "$1") });
      else tokens.push(name ? { kind: "name", text: name } : { kind: "sign", text: sign });
    }
    return tokens;
  }

  // Each method reads a part of the expression and returns a function from names to its value. What can be assigned to
  // also has `place`, which returns an object and the name of its member.
  class Reader {
    constructor(text) {
      this.tokens = tokensOf(text);
      this.at = 0;
    }

    isAt(...texts) {
      const token = this.tokens[this.at];
      return token !== undefined && token.kind !== "value" && texts.includes(token.text);
    }

    take(...texts) {
      return this.isAt(...texts) ? this.tokens[this.at++].text : undefined;
    }

    expect(text) {
      if (!this.take(text)) throw new SyntaxError(`${text} is missing`);
    }

    name() {
      const token = this.tokens[this.at++];
      if (token?.kind !== "name") throw new SyntaxError("a name is missing");
      return token.text;
    }

    program() {
      const statements = [];
      while (this.at < this.tokens.length) {
        if (!this.take(";")) statements.push(this.statement(statements.length === 0));
      }
      return inOrder(statements);
    }

    // A brace begins an object where an expression may stand alone, and a block after `if`.
    statement(first = false) {
      if (this.take("if")) return this.condition();
      if (!first && this.take("{")) {
        const statements = [];
        while (!this.take("}")) {
          if (!this.take(";")) statements.push(this.statement());
        }
        return inOrder(statements);
      }
      const value = this.expression();
      if (this.at < this.tokens.length && !this.isAt(";", "}", "else")) throw new SyntaxError("the end is not understood");
      return value;
    }

    condition() {
      this.expect("(");
      const test = this.expression();
      this.expect(")");
      const then = this.statement();
      const after = this.at;
      this.take(";");
      if (!this.take("else")) {
        this.at = after;
        return (names) => (test(names) ? then(names) : undefined);
      }
      const otherwise = this.statement();
      return (names) => (test(names) ? then(names) : otherwise(names));
    }

    expression() {
      if (this.tokens[this.at]?.kind === "name" && this.tokens[this.at + 1]?.text === "=>") return this.arrow();
      const target = this.choice();
      if (!this.take("=")) return target;
      if (!target.place) throw new SyntaxError("nothing can be assigned to this");
      const value = this.expression();
      return (names) => {
        const [object, member] = target.place(names);
        return (object[member] = value(names));
      };
    }

    arrow() {
      const parameter = this.name();
      this.expect("=>");
      const value = this.expression();
      return (names) => (argument) => value(window.Alpine.mergeProxies([{ [parameter]: argument }, names]));
    }

    choice() {
      const test = this.operation(0);
      if (!this.take("?")) return test;
      const then = this.expression();
      this.expect(":");
      const otherwise = this.expression();
      return (names) => (test(names) ? then(names) : otherwise(names));
    }

    operation(level) {
      if (level === LEVELS.length) return this.unary();
      let value = this.operation(level + 1);
      for (let sign = this.take(...LEVELS[level]); sign; sign = this.take(...LEVELS[level])) {
        const [left, right, compute] = [value, this.operation(level + 1), OPERATIONS[sign]];
        value = (names) => compute(() => left(names), () => right(names));
      }
      return value;
    }

    unary() {
      const sign = this.take("!", "-");
      if (!sign) return this.members(this.primary());
      const value = this.unary();
      return sign === "!" ? (names) => !value(names) : (names) => -value(names);
    }

    members(value) {
      for (;;) {
        if (this.take(".")) {
          const name = this.name();
          value = member(value, () => name);
        } else if (this.take("[")) {
          const name = this.expression();
          this.expect("]");
          value = member(value, name);
        } else if (this.take("(")) {
          value = call(value, this.list(")"));
        } else {
          return value;
        }
      }
    }

    list(end) {
      const values = [];
      while (!this.take(end)) {
        values.push(this.expression());
        if (!this.isAt(end)) this.expect(",");
      }
      return values;
    }

    primary() {
      const token = this.tokens[this.at];
      if (token?.kind === "value" || token?.kind === "name") {
        this.at++;
        return token.kind === "name" ? variable(token.text) : () => token.value;
      }
      if (this.take("(")) {
        const value = this.expression();
        this.expect(")");
        return value;
      }
      if (this.take("[")) {
        const values = this.list("]");
        return (names) => values.map((value) => value(names));
      }
      this.expect("{");
      return this.object();
    }

    object() {
      const members = [];
      while (!this.take("}")) {
        const token = this.tokens[this.at++];
        const name = token?.kind === "value" ? token.value : token?.kind === "name" ? token.text : undefined;
        if (name === undefined) throw new SyntaxError("the name of a member is missing");
        members.push([name, this.take(":") ? this.expression() : variable(name)]);
        if (!this.isAt("}")) this.expect(",");
      }
      return (names) => Object.fromEntries(members.map(([name, value]) => [name, value(names)]));
    }
  }

  function inOrder(statements) {
    return (names) => statements.reduce((_previous, statement) => statement(names), undefined);
  }

  function variable(name) {
    if (Object.hasOwn(CONSTANTS, name)) return () => CONSTANTS[name];
    const read = (names) => {
      if (name in names) return names[name];
      if (FUNCTIONS.includes(name)) return window[name];
      if (name === "localStorage") return window.localStorage;
      if (name === "window") return { location: { pathname: window.location.pathname, search: window.location.search } };
      throw new ReferenceError(`${name} is not defined`);
    };
    read.place = (names) => [names, name];
    return read;
  }

  function member(value, name) {
    const place = (names) => {
      const [object, key] = [value(names), name(names)];
      if (REFUSED.has(String(key))) throw new TypeError(`${key} may not be used here`);
      return [object, key];
    };
    const read = (names) => {
      const [object, key] = place(names);
      return object[key];
    };
    return Object.assign(read, { place });
  }

  function call(value, parameters) {
    return (names) => {
      const [object, key] = value.place ? value.place(names) : [undefined, undefined];
      // A function that has a name of its own is called as Alpine calls it, with the data as `this`.
      const called = object === undefined || object === names ? value(names) : object[key];
      return called.apply(object, parameters.map((parameter) => parameter(names)));
    };
  }

  function report(error, element, expression) {
    error.message = `${error.message}, in the expression "${expression}"`;
    console.warn(error.message, element);
    window.reportError(error);
  }

  // What a function or a promise gives counts, as in Alpine: x-on:end="sortRecords" calls it with the event.
  function hand(value, receive, names, parameters) {
    const result = typeof value === "function" ? value.apply(names, parameters) : value;
    if (result instanceof Promise) result.then(receive);
    else receive(result);
  }

  const programs = new Map();

  function programOf(expression) {
    if (!programs.has(expression)) programs.set(expression, new Reader(expression).program());
    return programs.get(expression);
  }

  function evaluator(element, expression) {
    let program = expression;
    if (typeof expression !== "function") {
      try {
        program = programOf(expression);
      } catch (error) {
        report(error, element, expression);
        return () => {};
      }
    }
    return (receive = () => {}, { scope = {}, params = [] } = {}) => {
      const names = window.Alpine.mergeProxies([scope, ...window.Alpine.closestDataStack(element)]);
      try {
        if (program === expression) hand(expression.apply(names, params), receive, names, params);
        else hand(program(names), receive, names, params);
      } catch (error) {
        report(error, element, expression);
      }
    };
  }

  document.addEventListener("alpine:init", () => window.Alpine.setEvaluator(evaluator));
})();
