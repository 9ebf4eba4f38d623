package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.FORMAT;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import java.util.List;
import java.util.Optional;

/** {@code format.dns1123Label()} and the other formats, {@code format.named(...)} and {@code validate}. */
final class FormatFunctions {
    private FormatFunctions() {}

    static void addTo(FunctionRegistry functions) {
        for (NamedFormat format : NamedFormat.values()) {
            String name = "format." + format.celName();
            functions.global(name, name, FORMAT, List.of(), a -> new FormatValue(format));
        }
        functions
                .global(
                        "format.named",
                        "format-named",
                        OptionalType.create(FORMAT),
                        List.of(STRING),
                        a -> NamedFormat.named((String) a[0]).map(FormatValue::new))
                .member(
                        "validate",
                        "format-validate",
                        OptionalType.create(ListType.create(STRING)),
                        List.of(FORMAT, STRING),
                        a -> validate(((FormatValue) a[0]).format(), (String) a[1]));
    }

    private static Optional<List<String>> validate(NamedFormat format, String text) {
        List<String> problems = format.problems(text);
        return problems.isEmpty() ? Optional.empty() : Optional.of(problems);
    }
}
