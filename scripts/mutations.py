"""Finds small changes of the product's code that tests ought to notice, for scripts/mutate.py.

A mutation changes one expression or statement of a function, or one constant of a module: a comparison, `and` and `or`,
`not`, a number, a sum, a call whose result nobody uses, what is returned, or the role that an access check asks for.
Texts, annotations, decorators and `assert` are left alone: they are words for people and types.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# The test file whose first test makes the database; it has no fixture of a module or a folder, which forks would share.
SETS_UP = "tests/tasks_app/services/test_moves.py"

# Folders of each part of the product from which a sample is drawn.
STRATA = {
    "stats": ("analytics_app/stats",),
    "task types": ("tasks_app/task_types",),
    "services": ("tasks_app/services",),
    "analytics services": ("analytics_app/services", "analytics_app/runs"),
    "views": ("tasks_app/views", "analytics_app/views"),
    "roles": ("tasks_app/views", "tasks_app/api", "analytics_app/views", "analytics_app/api"),
}

# "Boundary" and "opposite" of each comparison.
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
EMPTY = {"str": '""', "int": "0", "float": "0.0", "list": "[]", "tuple": "()", "dict": "{}", "set": "set()"}
LOWER_ROLE = {"OWNER": "EDITOR", "EDITOR": "VIEWER", "owner": "editor", "editor": "viewer"}
# Flipping these changes only how loudly a mistake of ours would fail.
UNTOUCHED_KEYWORDS = {"strict"}


@dataclass(frozen=True)
class Mutation:
    """One change of a file: the text from `start` to `end` (offsets in UTF-8) becomes `after`.

    `function` is the qualified name of the function that holds it, empty at the level of the module.
    """

    path: str
    line: int
    function: str
    start: int
    end: int
    before: str
    after: str
    kind: str

    @property
    def change(self) -> str:
        """Return the change on one line."""
        return f"{' '.join(self.before.split())} -> {' '.join(self.after.split())}"

    @property
    def key(self) -> str:
        """Name the mutation so that it is known again when lines above it have moved."""
        return f"{self.path} | {self.function} | {self.change}"

    def source(self, original: str) -> str:
        """Return the changed text of the file, with as many lines as before."""
        raw = original.encode()
        n_lines_lost = raw[self.start : self.end].count(b"\n") - self.after.count("\n")
        after = (
            f"({self.after}{chr(10) * n_lines_lost})"
            if n_lines_lost and self.after != "pass"
            else self.after + "\n" * n_lines_lost
        )
        return (raw[: self.start] + after.encode() + raw[self.end :]).decode()


def mutations_of_stratum(name: str, root: Path) -> list[Mutation]:
    """Return every mutation of a stratum, in the order of files and places."""
    paths = sorted(path for folder in STRATA[name] for path in (root / folder).rglob("*.py"))
    return [
        mutation
        for path in paths
        for mutation in mutations_of(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
        if (mutation.kind == "role") == (name == "roles")
    ]


@cache
def mutations_of(text: str, path: str) -> tuple[Mutation, ...]:
    """Return every mutation of one file; a second sample of the same code is drawn without reading it again."""
    finder = _Finder(text, path)
    finder.visit(ast.parse(text))
    return tuple(finder.mutations)


class _Finder(ast.NodeVisitor):
    """Walks a module, and keeps the mutations of the nodes that it meets."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.raw = text.encode()
        self.offsets = [0]
        for line in text.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line.encode()))
        self.names: list[str] = []
        self.in_function = self.in_class = 0
        self.returns: list[ast.expr | None] = []
        self.mutations: list[Mutation] = []

    def add(self, node: ast.expr | ast.stmt, after: str, kind: str) -> None:
        """Keep a change of one node; class bodies cannot be changed in a running process, and are left out."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.offsets[node.lineno - 1] + node.col_offset
        end = self.offsets[node.end_lineno - 1] + node.end_col_offset
        before = self.raw[start:end].decode()
        if before != after and (self.in_function or not self.in_class):
            function = ".".join(self.names) if self.in_function else ""
            self.mutations.append(Mutation(self.path, node.lineno, function, start, end, before, after, kind))

    def visit_Module(self, node: ast.Module) -> None:
        """Walk functions, classes and constants: other statements of a module cannot be repeated in a process."""
        for statement in node.body:
            if isinstance(
                statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
            ):
                self.visit(statement)

    # What is left alone --------------------------------------------------------------------------------

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave narrowing of types alone."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone; Python 3.11 does not say where their parts stand."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Skip the annotation."""
        if node.value is not None:
            self.visit(node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Skip keywords that are there for ourselves."""
        if node.arg not in UNTOUCHED_KEYWORDS:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        """Skip imports that only a type checker makes."""
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    # Where we are --------------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Walk the body of a class, without its decorators and bases."""
        self.names.append(node.name)
        self.in_class += 1
        for statement in node.body:
            self.visit(statement)
        self.in_class -= 1
        self.names.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Walk the body of a function, without decorators, defaults and annotations."""
        # Code inside an inner function belongs to the outermost function, since that one is replaced.
        outermost = not self.in_function
        if outermost:
            self.names.append(node.name)
        self.in_function += 1
        self.returns.append(node.returns)
        for statement in node.body:
            self.visit(statement)
        self.returns.pop()
        self.in_function -= 1
        if outermost:
            self.names.pop()

    # What is changed -----------------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        """Flip a comparison, and shift its boundary."""
        for place, operator in enumerate(node.ops):
            for changed in COMPARISONS[type(operator)]:
                ops: list[ast.cmpop] = [*node.ops[:place], changed(), *node.ops[place + 1 :]]
                self.add(node, _text(ast.Compare(node.left, ops, node.comparators)), "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Put `or` for `and`, and the other way round."""
        changed = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.add(node, _text(ast.BoolOp(changed, node.values)), "and/or")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Remove `not`."""
        if isinstance(node.op, ast.Not):
            self.add(node, _text(node.operand), "not")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Put minus for plus, and so on; a text that is put together or formatted stays."""
        changed = SUMS.get(type(node.op))
        if changed is not None and not any(isinstance(side, ast.Constant | ast.JoinedStr) and not _is_number(side)
                                         for side in (node.left, node.right)):  # fmt: skip
            self.add(node, _text(ast.BinOp(node.left, changed(), node.right)), "arithmetic")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a number or a truth value; lower a role that is written as a word."""
        value = node.value
        if isinstance(value, bool):
            self.add(node, str(not value), "constant")
        elif isinstance(value, int):
            self.add(node, str(value + 1), "constant")
        elif isinstance(value, float):
            self.add(node, repr(value * 1.5 or 1.0), "constant")
        elif isinstance(value, str) and value in LOWER_ROLE:
            self.add(node, repr(LOWER_ROLE[value]), "role")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Lower `Membership.Role.EDITOR`."""
        if node.attr in LOWER_ROLE and isinstance(node.value, ast.Attribute) and node.value.attr == "Role":
            self.add(node, f"{_text(node.value)}.{LOWER_ROLE[node.attr]}", "role")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Lower a role that a module has named `EDITOR` or `OWNER`."""
        if isinstance(node.ctx, ast.Load) and node.id in {"OWNER", "EDITOR"}:
            self.add(node, repr(LOWER_ROLE[node.id].lower()), "role")

    def visit_Expr(self, node: ast.Expr) -> None:
        """Drop a call if its result is unused."""
        if isinstance(node.value, ast.Call):
            self.add(node, "pass", "call dropped")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Empty the return value of a function."""
        if node.value is None:
            return
        annotation = self.returns[-1] if self.returns else None
        word = _text(annotation).partition("[")[0] if annotation is not None else ""
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool)):
            empty = f"not ({_text(node.value)})" if word == "bool" else EMPTY.get(word, "None")
            if _text(node.value) != empty:
                self.add(node.value, empty, "return emptied")
        self.generic_visit(node)


def _text(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def one_per_function(mutations: Sequence[Mutation]) -> Iterator[Mutation]:
    """Yield the first mutation of each function, so that a sample does not crowd in a few of them."""
    places: set[tuple[str, str]] = set()
    for mutation in mutations:
        place = (mutation.path, mutation.function or str(mutation.line))
        if place not in places:
            places.add(place)
            yield mutation
