package dev.claimstream.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How answers are printed. */
enum Format {
    TABLE("table", answers -> ClaimTable.narrow(answers, Terminal.width())),
    WIDE("wide", ClaimTable::wide),
    NAME("name", Format::names),
    YAML("yaml", ClaimDocuments::yaml),
    JSON("json", ClaimDocuments::json);

    private final String text;
    private final Function<List<Answer>, String> printer;

    Format(String text, Function<List<Answer>, String> printer) {
        this.text = text;
        this.printer = printer;
    }

    static Optional<Format> of(String text) {
        return Arrays.stream(values()).filter(format -> format.text.equals(text)).findFirst();
    }

    String text(List<Answer> answers) {
        return printer.apply(answers);
    }

    private static String names(List<Answer> answers) {
        return answers.stream()
                .map(answer -> "resourceclaim.resource.k8s.io/" + answer.claim().meta().name() + "\n")
                .collect(Collectors.joining());
    }
}
