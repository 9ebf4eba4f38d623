package dev.claimstream.manifests.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random trees with texts and numbers that are hard to quote in YAML and JSON. */
public final class RandomTrees {
    private static final List<String> HARD = List.of(
            "",
            " ",
            "a b",
            " a",
            "a ",
            "true",
            "no",
            "~",
            "null",
            "1",
            "-1.5e3",
            "0x1F",
            "0b1",
            "1_000",
            "12:30",
            "2026-01-01",
            "a: b",
            "a:",
            ":a",
            "a #b",
            "#a",
            "- a",
            "-",
            "--- a",
            "...",
            "? a",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "|",
            ">",
            "[a]",
            "{a}",
            "a,b",
            "'a'",
            "\"a\"",
            "a'b",
            "\\",
            "\t",
            "a\tb",
            "a\nb",
            "a\nb\n",
            "a\n\n",
            "\na",
            "a\n b\n",
            " a\nb",
            "a\n\nb\n",
            "a\n   \nb",
            "a\rb",
            "a\r\nb",
            "\u0000",
            "\u0007",
            "\u007F",
            "\u0085",
            "\u2028",
            "\uFEFF",
            "\uFFFE",
            "é",
            "日本",
            "\uD83D\uDE80 go",
            "\uD83D",
            "x".repeat(200),
            "device.attributes[\"a\"].b == 'c'",
            "<<",
            "=",
            "a\n---\nb\n");
    private static final List<String> NUMBERS =
            List.of("0", "-1", "1.5", "1e3", "-2.5E-7", "123456789012345678901234567890");

    private final Random random;

    public RandomTrees(Random random) {
        this.random = random;
    }

    /** Returns a text that is hard to quote. */
    public String text() {
        String text = HARD.get(random.nextInt(HARD.size()));
        return random.nextInt(5) == 0 ? text + HARD.get(random.nextInt(HARD.size())) : text;
    }

    /** Returns a mapping of at most this depth. */
    public Tree.Mapping mapping(int depth) {
        return Tree.mapping(fields -> {
            for (int i = random.nextInt(4); i > 0; i--) {
                fields.put(random.nextInt(20) == 0 ? "k".repeat(2000) : text(), tree(depth - 1));
            }
        });
    }

    /** Returns a tree of at most this depth. */
    public Tree tree(int depth) {
        return switch (random.nextInt(depth > 0 ? 6 : 4)) {
            case 0 -> Tree.of(text());
            case 1 -> new Tree.Numeral(NUMBERS.get(random.nextInt(NUMBERS.size())));
            case 2 -> Tree.of(random.nextBoolean());
            case 3 -> random.nextInt(3) == 0 ? new Tree.Null() : Tree.of(text());
            case 4 -> mapping(depth);
            default -> {
                List<Tree> items = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.add(tree(depth - 1));
                }
                yield new Tree.Sequence(items);
            }
        };
    }
}
