"""Templates of commands, split into words as a shell does, but without anything that starts a program."""

import os
import re
from typing import List

_FORBIDDEN = "|&;<>()"


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise ValueError("it uses a variable that is not set")
    return value


class _Words:
    def __init__(self, text: str, braces: bool) -> None:
        self.text, self.at, self.done = text, 0, []  # type: str, int, List[str]
        self.word, self.begun, self.forbidden = "", False, _FORBIDDEN + ("" if braces else "{}")

    def _dollar(self) -> str:
        """The value after the '$' at self.at."""
        rest = self.text[self.at + 1:]
        match = re.match(r"([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}", rest, re.ASCII)
        if rest.startswith("("):
            raise ValueError("it contains a command substitution; use a script that ends with exec instead")
        if not match:
            self.at += 1
            return "$"
        self.at += 1 + match.end()
        return _variable(match[1] or match[2])

    def _end(self) -> None:
        if self.begun:
            self.done.append(self.word)
        self.word, self.begun = "", False

    def _quoted(self, quote: str) -> None:
        self.begun, self.at = True, self.at + 1
        while self.at < len(self.text) and self.text[self.at] != quote:
            letter = self.text[self.at]
            if quote == '"' and letter == "$":
                self.word += self._dollar()
                continue
            if quote == '"' and letter == "\\" and self.text[self.at + 1:self.at + 2] in ('"', "\\", "$", "`"):
                self.at += 1
            self.word += self.text[self.at:self.at + 1]
            self.at += 1
        if self.at >= len(self.text):
            raise ValueError("its quotes are unbalanced")
        self.at += 1

    def _bare(self, letter: str) -> None:
        if letter == "`":
            raise ValueError("it contains a command substitution; use a script that ends with exec instead")
        if letter in self.forbidden or letter == "\n":
            raise ValueError("it contains one of | & ; < > ( ) { } outside quotes; use a script that ends with exec "
                             "instead")
        self.at += 1
        if letter == "\\":
            letter, self.at = self.text[self.at:self.at + 1], self.at + 1
        self.word, self.begun = self.word + letter, True

    def split(self) -> List[str]:
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in " \t":
                self._end()
                self.at += 1
            elif letter in "'\"":
                self._quoted(letter)
            elif letter == "$":
                parts = re.split(r"([ \t\n]+)", self._dollar())  # its blanks separate words
                for part in parts:
                    if part.strip():
                        self.word, self.begun = self.word + part, True
                    elif part:
                        self._end()
            elif letter == "~" and not self.begun:
                name = re.match(r"~[\w-]*", self.text[self.at:])
                assert name
                self.word, self.begun, self.at = os.path.expanduser(name[0]), True, self.at + len(name[0])
            else:
                self._bare(letter)
        self._end()
        return self.done


def expand(text: str, braces: bool = False) -> List[str]:
    """The words: quotes, backslashes, variables and ~ are as in a shell; `braces`: these are ordinary. Raises
    ValueError."""
    return _Words(text, braces).split()
