package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Recorded outputs of upstream, with the deliberate differences of Claimstream. {@code src/test/oracle} describes how
 * to record them.
 */
final class AnswerTable {
    private AnswerTable() {}

    /** The output for one expression on one device. The cost is {@code -} if there is none. */
    record AnswerCase(String device, String expression, String cost, String answer) {
        @Override
        public String toString() {
            return device + " | " + expression;
        }

        boolean hasCost() {
            return cost.chars().allMatch(Character::isDigit);
        }
    }

    /** Returns the outputs that Claimstream must have. */
    static List<AnswerCase> cases(String answers, String differences) {
        Map<String, AnswerCase> known = new LinkedHashMap<>();
        read(differences).forEach(each -> known.put(each.toString(), each));
        return read(answers).stream()
                .map(upstream -> merged(upstream, known.getOrDefault(upstream.toString(), upstream)))
                .toList();
    }

    /** Checks that every known difference refers to a recorded output. */
    static void checkDifferences(String answers, String differences) {
        List<String> recorded = read(answers).stream().map(AnswerCase::toString).toList();
        assertThat(read(differences)).extracting(AnswerCase::toString).isSubsetOf(recorded);
    }

    private static AnswerCase merged(AnswerCase upstream, AnswerCase difference) {
        return new AnswerCase(
                upstream.device,
                upstream.expression,
                difference.cost.equals("=") ? upstream.cost : difference.cost,
                difference.answer.equals("=") ? upstream.answer : difference.answer);
    }

    private static List<AnswerCase> read(String resource) {
        try (InputStream in = Objects.requireNonNull(AnswerTable.class.getResourceAsStream(resource))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(AnswerTable::row)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AnswerCase row(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        return new AnswerCase(fields.get(0), fields.get(1), fields.get(2), unescaped(fields.get(3)));
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
    }
}
