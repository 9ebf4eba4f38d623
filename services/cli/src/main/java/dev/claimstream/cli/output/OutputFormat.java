package dev.claimstream.cli.output;

import dev.claimstream.console.ClaimDocuments;
import dev.claimstream.console.ClaimResult;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Output formats of claims. */
public enum OutputFormat {
    TABLE("table"),
    WIDE("wide"),
    NAME("name"),
    YAML("yaml"),
    JSON("json");

    private final String text;

    OutputFormat(String text) {
        this.text = text;
    }

    public static Optional<OutputFormat> of(String text) {
        return Arrays.stream(values())
                .filter(format -> format.text.equals(text))
                .findFirst();
    }

    public String text(List<ClaimResult> answers) {
        return switch (this) {
            case TABLE -> ClaimTable.narrow(answers, Terminal.width());
            case WIDE -> ClaimTable.wide(answers, Terminal.width());
            case NAME -> names(answers);
            case YAML -> ClaimDocuments.yaml(answers);
            case JSON -> ClaimDocuments.json(answers);
        };
    }

    private static String names(List<ClaimResult> answers) {
        return answers.stream()
                .map(answer ->
                        "resourceclaim.resource.k8s.io/" + answer.claim().meta().name() + "\n")
                .collect(Collectors.joining());
    }
}
