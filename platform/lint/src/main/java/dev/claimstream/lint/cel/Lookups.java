package dev.claimstream.lint.cel;

import dev.claimstream.lint.cel.Chain.Lookup;
import dev.claimstream.lint.cel.Chain.Step;
import dev.claimstream.lint.cel.Mistake.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds mistakes in lookups of attributes and capacity. */
final class Lookups {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,31}");
    private static final String QUANTITY = "quantity";
    private static final Set<String> ACCESSORS =
            Set.of("string", "int", "bool", "version", "value", "stringValue", "intValue", "boolValue", "versionValue");
    private static final String NAMES = "names have letters, digits and _ only, and at most 32 of them";

    private Lookups() {}

    /** Returns the mistakes of a lookup. */
    static List<Mistake> mistakes(Lookup lookup) {
        if (lookup.domain().text().contains("/")) {
            return List.of(unknownDomain(lookup));
        }
        List<Mistake> found = new ArrayList<>();
        lookup.name()
                .filter(name -> !IDENTIFIER.matcher(name.text()).matches())
                .ifPresent(name -> found.add(new Mistake(
                        Mistake.Sort.IMPOSSIBLE_NAME,
                        name.start(),
                        "no driver can publish the name %s: %s".formatted(name.text(), NAMES),
                        "write the name that the driver publishes",
                        List.of())));
        lookup.accessor().ifPresent(accessor -> found.add(accessor(lookup, accessor)));
        return found;
    }

    private static boolean isAccessor(Step step) {
        return ACCESSORS.contains(step.text()) || step.text().equals(QUANTITY);
    }

    /**
     * Reports {@code device.attributes["gpu.example.com/memory"].quantity}: the map has domains as keys, and an unknown domain gives an
     * empty map.
     */
    private static Mistake unknownDomain(Lookup lookup) {
        String written = lookup.domain().text();
        String domain = written.substring(0, written.lastIndexOf('/'));
        String name = written.substring(written.lastIndexOf('/') + 1);
        boolean isName = IDENTIFIER.matcher(name).matches();
        Optional<Step> accessor = lookup.name().filter(Lookups::isAccessor);
        boolean isQuantity = lookup.isCapacity()
                || accessor.filter(each -> each.text().equals(QUANTITY)).isPresent();
        String map = isQuantity ? "capacity" : "attributes";
        String right = right(lookup, map);
        String remedy = isName
                ? "write " + right
                : "write %s with the domain and the name that the driver publishes; %s".formatted(right, NAMES);
        boolean isClear = isName && (lookup.name().isEmpty() || accessor.isPresent());
        return new Mistake(
                Mistake.Sort.UNKNOWN_DOMAIN,
                lookup.domain().start(),
                "%s is no domain: the lookup finds nothing, and a name in it is an error".formatted(written),
                remedy,
                isClear ? byDomain(lookup, map, domain, name, accessor) : List.of());
    }

    private static List<Change> byDomain(
            Lookup lookup, String map, String domain, String name, Optional<Step> accessor) {
        int end = accessor.map(Step::end).orElse(lookup.domain().end());
        return List.of(
                new Change(lookup.map().start(), lookup.map().end(), "." + map),
                new Change(lookup.domain().start(), end, "[\"%s\"].%s".formatted(domain, name)));
    }

    private static Mistake accessor(Lookup lookup, Step accessor) {
        if (accessor.text().equals(QUANTITY) && !lookup.isCapacity()) {
            return new Mistake(
                    Mistake.Sort.QUANTITY_LOOKUP,
                    accessor.start(),
                    "an attribute is a number, a text, a boolean or a version, never a quantity",
                    "write " + path(lookup, "capacity"),
                    List.of(
                            new Change(lookup.map().start(), lookup.map().end(), ".capacity"),
                            new Change(accessor.start(), accessor.end(), "")));
        }
        String map = lookup.map().text();
        return new Mistake(
                Mistake.Sort.TYPED_ACCESSOR,
                accessor.start(),
                "%s has no field %s: it is the value itself".formatted(path(lookup, map), accessor.text()),
                "write " + path(lookup, map),
                isAccessor(accessor) ? List.of(new Change(accessor.start(), accessor.end(), "")) : List.of());
    }

    /** Returns the corrected path of a lookup in a map. */
    static String right(Lookup lookup, String map) {
        String written = lookup.domain().text();
        if (!written.contains("/")) {
            return path(lookup, map);
        }
        String name = written.substring(written.lastIndexOf('/') + 1);
        boolean isName = IDENTIFIER.matcher(name).matches();
        return "device.%s[\"%s\"].%s"
                .formatted(map, written.substring(0, written.lastIndexOf('/')), isName ? name : "NAME");
    }

    /** Returns the path of a lookup in a map. */
    static String path(Lookup lookup, String map) {
        String name = lookup.name().map(Step::text).orElse("NAME");
        return "device.%s[\"%s\"].%s".formatted(map, lookup.domain().text(), name);
    }
}
