package dev.claimstream.dra;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Recorded outputs of Kubernetes' own code; {@code src/test/oracle} describes how to record them. */
final class Answers {
    private Answers() {}

    /** An input of the oracle and its output, both split into fields. */
    record Answer(List<String> question, List<String> answer) {
        String text() {
            return question.get(1);
        }

        boolean isError() {
            return answer.getFirst().startsWith("error: ");
        }

        String error() {
            return answer.getFirst().substring("error: ".length());
        }

        @Override
        public String toString() {
            return String.join(" | ", question.subList(1, question.size()));
        }
    }

    static Stream<Answer> about(String subject) {
        try (InputStream in = Objects.requireNonNull(Answers.class.getResourceAsStream("answers.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().toList().stream()
                            .filter(line -> line.startsWith(subject + "|"))
                            .map(Answers::answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer answer(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        return new Answer(List.of(fields.getFirst().split("\\|", -1)), fields.subList(1, fields.size()));
    }
}
