package dev.claimstream.dra;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Recorded outputs of Kubernetes' own code; {@code src/test/oracle} describes how to record them. */
final class OracleAnswers {
    private OracleAnswers() {}

    /** An input of the oracle and its output, both split into fields. */
    record OracleAnswer(List<String> input, List<String> output) {
        String text() {
            return input.get(1);
        }

        boolean isError() {
            return output.getFirst().startsWith("error: ");
        }

        String error() {
            return output.getFirst().substring("error: ".length());
        }

        @Override
        public String toString() {
            return String.join(" | ", input.subList(1, input.size()));
        }
    }

    static Stream<OracleAnswer> forSubject(String subject) {
        try (InputStream in = Objects.requireNonNull(OracleAnswers.class.getResourceAsStream("answers.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().toList().stream()
                            .filter(line -> line.startsWith(subject + "|"))
                            .map(OracleAnswers::parse);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static OracleAnswer parse(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        return new OracleAnswer(List.of(fields.getFirst().split("\\|", -1)), fields.subList(1, fields.size()));
    }
}
