package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.ExpressionMistake.ExpressionEdit;
import dev.claimstream.lint.cel.SelectionChain.ChainStep;
import dev.claimstream.lint.cel.SelectionChain.DeviceLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds mistakes in lookups of attributes and capacity. */
final class LookupRules {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,31}");
    private static final String QUANTITY = "quantity";
    private static final Set<String> ACCESSORS =
            Set.of("string", "int", "bool", "version", "value", "stringValue", "intValue", "boolValue", "versionValue");
    private static final String NAMES = "names have letters, digits and _ only, and at most 32 of them";

    private LookupRules() {}

    static List<ExpressionMistake> mistakes(DeviceLookup lookup) {
        if (lookup.domain().text().contains("/")) {
            return List.of(unknownDomain(lookup));
        }
        List<ExpressionMistake> found = new ArrayList<>();
        lookup.name()
                .filter(name -> !IDENTIFIER.matcher(name.text()).matches())
                .ifPresent(name -> found.add(new ExpressionMistake(
                        ExpressionMistake.MistakeKind.IMPOSSIBLE_NAME,
                        name.start(),
                        "no driver can publish the name %s: %s".formatted(name.text(), NAMES),
                        "write the name that the driver publishes",
                        List.of())));
        lookup.accessor().ifPresent(accessor -> found.add(accessor(lookup, accessor)));
        return found;
    }

    private static boolean isAccessor(ChainStep step) {
        return ACCESSORS.contains(step.text()) || step.text().equals(QUANTITY);
    }

    /**
     * Reports {@code device.attributes["gpu.example.com/memory"].quantity}: the map has domains as keys, and an unknown domain gives an
     * empty map.
     */
    private static ExpressionMistake unknownDomain(DeviceLookup lookup) {
        String written = lookup.domain().text();
        String domain = written.substring(0, written.lastIndexOf('/'));
        String name = written.substring(written.lastIndexOf('/') + 1);
        boolean isName = IDENTIFIER.matcher(name).matches();
        Optional<ChainStep> accessor = lookup.name().filter(LookupRules::isAccessor);
        boolean isQuantity = lookup.isCapacity()
                || accessor.filter(each -> each.text().equals(QUANTITY)).isPresent();
        String map = isQuantity ? "capacity" : "attributes";
        String right = corrected(lookup, map);
        String remedy = isName
                ? "write " + right
                : "write %s with the domain and the name that the driver publishes; %s".formatted(right, NAMES);
        boolean isClear = isName && (lookup.name().isEmpty() || accessor.isPresent());
        return new ExpressionMistake(
                ExpressionMistake.MistakeKind.UNKNOWN_DOMAIN,
                lookup.domain().start(),
                "%s is not a domain: the lookup finds nothing, and a name in it is an error".formatted(written),
                remedy,
                isClear ? byDomain(lookup, map, domain, name, accessor) : List.of());
    }

    private static List<ExpressionEdit> byDomain(
            DeviceLookup lookup, String map, String domain, String name, Optional<ChainStep> accessor) {
        int end = accessor.map(ChainStep::end).orElse(lookup.domain().end());
        return List.of(
                new ExpressionEdit(lookup.map().start(), lookup.map().end(), "." + map),
                new ExpressionEdit(lookup.domain().start(), end, "[\"%s\"].%s".formatted(domain, name)));
    }

    private static ExpressionMistake accessor(DeviceLookup lookup, ChainStep accessor) {
        if (accessor.text().equals(QUANTITY) && !lookup.isCapacity()) {
            return new ExpressionMistake(
                    ExpressionMistake.MistakeKind.QUANTITY_LOOKUP,
                    accessor.start(),
                    "an attribute is a number, a text, a boolean or a version, never a quantity",
                    "write " + path(lookup, "capacity"),
                    List.of(
                            new ExpressionEdit(
                                    lookup.map().start(), lookup.map().end(), ".capacity"),
                            new ExpressionEdit(accessor.start(), accessor.end(), "")));
        }
        String map = lookup.map().text();
        return new ExpressionMistake(
                ExpressionMistake.MistakeKind.TYPED_ACCESSOR,
                accessor.start(),
                "%s has no field %s: it is the value itself".formatted(path(lookup, map), accessor.text()),
                "write " + path(lookup, map),
                isAccessor(accessor) ? List.of(new ExpressionEdit(accessor.start(), accessor.end(), "")) : List.of());
    }

    /** Returns the corrected path of a lookup in a map. */
    static String corrected(DeviceLookup lookup, String map) {
        String written = lookup.domain().text();
        if (!written.contains("/")) {
            return path(lookup, map);
        }
        String name = written.substring(written.lastIndexOf('/') + 1);
        boolean isName = IDENTIFIER.matcher(name).matches();
        return "device.%s[\"%s\"].%s"
                .formatted(map, written.substring(0, written.lastIndexOf('/')), isName ? name : "NAME");
    }

    static String path(DeviceLookup lookup, String map) {
        String name = lookup.name().map(ChainStep::text).orElse("NAME");
        return "device.%s[\"%s\"].%s".formatted(map, lookup.domain().text(), name);
    }
}
