package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.AttributeValue.BoolList;
import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.AttributeValue.IntList;
import dev.claimstream.dra.AttributeValue.IntValue;
import dev.claimstream.dra.AttributeValue.StringList;
import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.AttributeValue.VersionList;
import dev.claimstream.dra.AttributeValue.VersionValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector.Match;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the outcomes in upstream's own table of selectors (TestCEL). */
class SelectorTableTest {
    private static final CelSelectors SELECTORS = new CelSelectors();
    private static final String ATTRIBUTE = "device.attributes[\"dra.example.com\"].name";

    record SelectorCase(String name, String expression, String driver, Device device, String outcome) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static SelectorCase row(String name, String expression, Device device, String outcome) {
        return new SelectorCase(name, expression, "dra.example.com", device, outcome);
    }

    private static Device bare() {
        return with(Map.of());
    }

    private static Device with(Map<String, ? extends AttributeValue> attributes) {
        return Devices.device(attributes, Map.of(), false);
    }

    private static Device named(AttributeValue value) {
        return with(Map.of("name", value));
    }

    static Stream<SelectorCase> rows() {
        return Stream.of(
                        literals(),
                        lookUps(),
                        scalars(),
                        lists(),
                        includes(),
                        versionsAndQuantities(),
                        domains(),
                        sharing())
                .flatMap(List::stream);
    }

    private static List<SelectorCase> literals() {
        return List.of(
                row("true", "true", bare(), "yes"),
                row("false", "false", bare(), "no"),
                row("syntax-error", "?!", bare(), "compile: Syntax error"),
                row("type-error", "1", bare(), "compile: must evaluate to bool or the unknown type, not int"),
                row("expensive", expensive(), bare(), "runtime: actual cost limit exceeded"));
    }

    private static String expensive() {
        String numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
        String inner = "x > 0";
        for (int depth = 0; depth < 7; depth++) {
            inner = numbers + ".all(x" + depth + ", " + inner.replace("x >", "x" + depth + " >") + ")";
        }
        return inner;
    }

    private static List<SelectorCase> lookUps() {
        Device name = named(new BoolValue(true));
        return List.of(
                row(
                        "runtime-error-lookup-identifier",
                        "device.attributes[\"no-such-domain\"].noSuchAttr.isGreaterThan(quantity(\"0\"))",
                        bare(),
                        "runtime: no such key: noSuchAttr"),
                row(
                        "runtime-error-lookup-map",
                        "device.attributes[\"no-such-domain\"][\"noSuchAttr\"].isGreaterThan(quantity(\"0\"))",
                        bare(),
                        "runtime: no such key: noSuchAttr"),
                row("domain-check-negative", "\"no-such-domain\" in device.attributes", bare(), "no"),
                row(
                        "domain-check-positive",
                        "\"dra.example.com\" in device.attributes",
                        with(Map.of("dra.example.com/something", new BoolValue(true))),
                        "yes"),
                new SelectorCase("empty-driver-name", "device.driver == \"\"", "", bare(), "yes"),
                row("real-driver-name", "device.driver == \"dra.example.com\"", bare(), "yes"),
                row("driver-name-qualifier", ATTRIBUTE, name, "yes"),
                row(
                        "driver-name-qualifier-map-lookup",
                        "device.attributes[\"dra.example.com\"][\"name\"]",
                        name,
                        "yes"),
                row("bind", "cel.bind(dra, device.attributes[\"dra.example.com\"], dra.name)", name, "yes"),
                row(
                        "qualified-attribute-name",
                        "device.attributes[\"other.example.com\"].name",
                        with(Map.of("other.example.com/name", new BoolValue(true))),
                        "yes"));
    }

    private static List<SelectorCase> scalars() {
        return List.of(
                row("bool", ATTRIBUTE, named(new BoolValue(true)), "yes"),
                row("int", ATTRIBUTE + " > 0", named(new IntValue(1)), "yes"),
                row("string", ATTRIBUTE + " == \"fish\"", named(new StringValue("fish")), "yes"),
                row(
                        "macro-exists-on-int",
                        ATTRIBUTE + ".exists(x, x > 0)",
                        named(new IntValue(1)),
                        "runtime: got 'types.Int', expected iterable type"),
                row(
                        "macro-exists-on-bool",
                        ATTRIBUTE + ".exists(x, x == true)",
                        named(new BoolValue(true)),
                        "runtime: got 'types.Bool', expected iterable type"),
                row(
                        "macro-exists-on-string",
                        ATTRIBUTE + ".exists(x, x == \"fish\")",
                        named(new StringValue("fish")),
                        "runtime: got 'types.String', expected iterable type"),
                row(
                        "macro-exists-on-version",
                        ATTRIBUTE + ".exists(x, x.isGreaterThan(semver(\"0.0.1\")))",
                        named(new VersionValue("1.0.0")),
                        "runtime: got 'cel.Semver', expected iterable type"));
    }

    private static List<SelectorCase> lists() {
        String names = "device.attributes[\"dra.example.com\"].names";
        Device strings = with(Map.of("names", new StringList(List.of("fish", "bird"))));
        Device numbers = with(Map.of("names", new IntList(List.of(1L, 2L))));
        Device versions = with(Map.of("names", new VersionList(List.of("1.0.0", "2.0.0"))));
        Device bools = with(Map.of("names", new BoolList(List.of(true, false))));
        return List.of(
                row(
                        "list-result-type-causes-match-error",
                        names,
                        strings,
                        "runtime: CEL result of type list could not be converted to bool"),
                row("list-of-bool", names + ".size() == 2", bools, "yes"),
                row("list-of-int", names + ".size() == 2", numbers, "yes"),
                row("list-of-string", names + ".size() == 2", strings, "yes"),
                row("list-of-semver", names + ".size() == 2", versions, "yes"),
                row("macro-on-list-of-int", names + ".exists(x, x > 0)", numbers, "yes"),
                row("macro-on-list-of-string", names + ".all(x, x != \"\")", strings, "yes"),
                row("macro-on-list-of-semver", names + ".all(x, x.isGreaterThan(semver(\"0.0.1\")))", versions, "yes"),
                row("in-operator-on-list", "1 in " + names, numbers, "yes"));
    }

    private static List<SelectorCase> includes() {
        return Stream.of(
                        includes("bool-scalar", new BoolValue(true), "true", "false"),
                        includes("bool-list", new BoolList(List.of(true)), "true", "false"),
                        includes("int-scalar", new IntValue(1), "1", "2"),
                        includes("int-list", new IntList(List.of(1L, 2L)), "1", "3"),
                        includes("string-scalar", new StringValue("fish"), "\"fish\"", "\"bird\""),
                        includes("string-list", new StringList(List.of("fish", "bird")), "\"fish\"", "\"cat\""),
                        includes("semver-scalar", new VersionValue("1.0.0"), "semver(\"1.0.0\")", "semver(\"2.0.0\")"),
                        includes(
                                "semver-list",
                                new VersionList(List.of("1.0.0", "2.0.0")),
                                "semver(\"1.0.0\")",
                                "semver(\"3.0.0\")"),
                        includes("very-long-list", longList(), "\"value-48\"", "\"value-49\""))
                .flatMap(List::stream)
                .toList();
    }

    /** Since Kubernetes 1.37 a list may have more than 48 values. */
    private static StringList longList() {
        return new StringList(IntStream.range(0, 49).mapToObj(i -> "value-" + i).toList());
    }

    private static List<SelectorCase> includes(String name, AttributeValue value, String present, String absent) {
        return List.of(
                row(
                        "includes-function-on-" + name + "-positive",
                        ATTRIBUTE + ".includes(" + present + ")",
                        named(value),
                        "yes"),
                row(
                        "includes-function-on-" + name + "-negative",
                        ATTRIBUTE + ".includes(" + absent + ")",
                        named(value),
                        "no"));
    }

    private static List<SelectorCase> versionsAndQuantities() {
        Device version = named(new VersionValue("1.0.0"));
        Device amount = Devices.device(Map.of(), Map.of("name", "1Mi"), false);
        String capacity = "device.capacity[\"dra.example.com\"]";
        return List.of(
                row("version", ATTRIBUTE + ".isGreaterThan(semver(\"0.0.1\"))", version, "yes"),
                row(
                        "version_v",
                        ATTRIBUTE + ".isGreaterThan(semver(\"v0.0.1\", true)) && isSemver(\"v1.0.0\", true)",
                        version,
                        "yes"),
                row("quantity", capacity + ".name.isGreaterThan(quantity(\"1Ki\"))", amount, "yes"),
                row(
                        "check-positive",
                        "\"name\" in %s && %s.name.isGreaterThan(quantity(\"1Ki\"))".formatted(capacity, capacity),
                        amount,
                        "yes"),
                row(
                        "check-negative",
                        "!(\"name\" in %s) || %s.name.isGreaterThan(quantity(\"1Ki\"))".formatted(capacity, capacity),
                        bare(),
                        "yes"));
    }

    private static List<SelectorCase> domains() {
        Device services = with(Map.of("services", new StringValue("some_example.com, asymmetric")));
        Device memory = Devices.device(Map.of(), Map.of("memory", "1Mi"), false);
        Map<String, AttributeValue> flags = new TreeMap<>();
        Stream.of("a", "b", "c").forEach(name -> flags.put(name, new BoolValue(true)));
        String attributes = "device.attributes[\"dra.example.com\"]";
        return List.of(
                row("many", "%s.a && %s.b && %s.c".formatted(attributes, attributes, attributes), with(flags), "yes"),
                row(
                        "check_attribute_domains",
                        "device.attributes.exists_one(x, x == \"dra.example.com\")",
                        services,
                        "yes"),
                row("check_attribute_ids", attributes + ".exists_one(x, x == \"services\")", services, "yes"),
                row("split_attribute", attributes + ".services.split(\"example\").size() >= 2", services, "yes"),
                row("regexp_attribute", attributes + ".services.matches(\"[^a]?sym\")", services, "yes"),
                row("check_capacity_domains", "device.capacity.exists_one(x, x == \"dra.example.com\")", memory, "yes"),
                row(
                        "check_capacity_ids",
                        "device.capacity[\"dra.example.com\"].exists_one(x, x == \"memory\")",
                        memory,
                        "yes"));
    }

    private static List<SelectorCase> sharing() {
        return List.of(
                row(
                        "allow_multiple_allocations",
                        "device.allowMultipleAllocations == true",
                        Devices.device(Map.of(), Map.of(), true),
                        "yes"),
                row("allow_multiple_allocations_default", "device.allowMultipleAllocations == false", bare(), "yes"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void matchesUpstreamOutcome(SelectorCase row) {
        Match match = SELECTORS.compile(row.expression).test(row.driver, row.device);
        assertThat(outcome(match))
                .startsWith(row.outcome.split(": ", 2)[0])
                .contains(row.outcome.replaceFirst("^\\w+: ", ""));
    }

    private static String outcome(Match match) {
        return switch (match) {
            case Match.SelectorMatch yes -> "yes";
            case Match.SelectorMismatch no -> "no";
            case Match.SelectorError failed -> failed.message().replaceFirst("^CEL (compile|runtime) error: ", "$1: ");
        };
    }
}
