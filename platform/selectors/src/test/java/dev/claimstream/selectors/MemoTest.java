package dev.claimstream.selectors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.AttributeValue.BoolValue;
import dev.claimstream.dra.AttributeValue.IntList;
import dev.claimstream.dra.AttributeValue.IntValue;
import dev.claimstream.dra.AttributeValue.StringList;
import dev.claimstream.dra.AttributeValue.StringValue;
import dev.claimstream.dra.AttributeValue.VersionValue;
import dev.claimstream.dra.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the memo of a selector returns the result of an evaluation. */
class MemoTest {
    private static final CelSelectors SELECTORS = new CelSelectors();
    private static final List<String> DOMAINS = List.of("a.example", "b.example", "none.example");
    private static final List<String> IDS = List.of("x", "y", "z");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void returnsSameResultWithAndWithoutMemo(long seed) {
        Random random = new Random(seed);
        List<Device> devices = random.ints(60, 0, 1 << 20)
                .mapToObj(i -> device(new Random(i % 200)))
                .toList();
        for (int i = 0; i < 12; i++) {
            String expression = expression(random, 3);
            if (SELECTORS.compile(expression) instanceof CompiledSelector selector) {
                for (Device device : devices) {
                    for (String driver : DOMAINS) {
                        assertThat(selector.test(driver, device))
                                .as("seed %d: %s of %s on %s", seed, expression, driver, device)
                                .isEqualTo(selector.evaluate(driver, device).answer());
                    }
                }
            }
        }
    }

    @Test
    void compilesMostRandomExpressions() {
        Random random = new Random(7);
        long compiled = random.ints(200)
                .mapToObj(i -> expression(random, 3))
                .filter(e -> SELECTORS.problem(e).isEmpty())
                .count();
        assertThat(compiled).isGreaterThan(100);
    }

    private static Device device(Random random) {
        Map<String, AttributeValue> attributes = new TreeMap<>();
        Map<String, String> capacity = new TreeMap<>();
        for (String id : IDS) {
            for (String name : List.of(id, "a.example/" + id, "b.example/" + id)) {
                if (random.nextInt(3) == 0) {
                    attributes.put(name, value(random));
                }
                if (random.nextInt(4) == 0) {
                    capacity.put(name, List.of("1", "1000m", "2Gi", "1.5").get(random.nextInt(4)));
                }
            }
        }
        return Devices.device(attributes, capacity, random.nextBoolean());
    }

    private static AttributeValue value(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> new IntValue(random.nextInt(3));
            case 1 -> new BoolValue(random.nextBoolean());
            case 2 -> new StringValue(IDS.get(random.nextInt(3)));
            case 3 -> new VersionValue("1.2." + random.nextInt(3));
            case 4 -> new IntList(List.of(1L, (long) random.nextInt(3)));
            default -> new StringList(List.of("x", IDS.get(random.nextInt(3))));
        };
    }

    private static String expression(Random random, int depth) {
        if (depth == 0) {
            return leaf(random);
        }
        String left = expression(random, depth - 1);
        String right = expression(random, depth - 1);
        return switch (random.nextInt(7)) {
            case 0 -> "(%s) && (%s)".formatted(left, right);
            case 1 -> "(%s) || (%s)".formatted(left, right);
            case 2 -> "!(%s)".formatted(left);
            case 3 -> "(%s) ? (%s) : false".formatted(left, right);
            case 4 ->
                "cel.bind(d, device.attributes, (%s) || (%s))".formatted(left.replace("device.attributes", "d"), right);
            case 5 -> "cel.bind(m, %s, m.exists(k, k == 'x' && (%s)))".formatted(ids(random), left);
            default -> left;
        };
    }

    private static String ids(Random random) {
        String side = random.nextInt(4) == 0 ? "device.capacity" : "device.attributes";
        String domain = DOMAINS.get(random.nextInt(3));
        return switch (random.nextInt(4)) {
            case 0 -> "%s[device.driver]".formatted(side);
            case 1 -> "%s[?'%s'].orValue({})".formatted(side, domain);
            default -> "%s['%s']".formatted(side, domain);
        };
    }

    private static String leaf(Random random) {
        String ids = ids(random);
        String id = IDS.get(random.nextInt(3));
        List<String> leaves = new ArrayList<>(List.of(
                "%s.%s == 1".formatted(ids, id),
                "%s['%s'] == 'x'".formatted(ids, id),
                "%s.?%s.hasValue()".formatted(ids, id),
                "%s[?'%s'].orValue(1) == 1".formatted(ids, id),
                "'%s' in %s".formatted(id, ids),
                "has(%s.%s)".formatted(ids, id),
                "%s.exists(k, k == '%s')".formatted(ids, id),
                "%s.all(k, v, v == 1)".formatted(ids),
                "%s.size() > 2".formatted(ids),
                "%s.%s.includes('%s')".formatted(ids, id, id),
                "%s.%s.isLessThan(semver('1.2.1'))".formatted(ids, id),
                "%s.%s.isInteger()".formatted(ids, id),
                "%s == device.attributes['b.example']".formatted(ids),
                "'a.example' in device.attributes",
                "device.attributes.exists(d, d == 'b.example' && 'x' in device.attributes[d])",
                "device.attributes.size() + device.capacity.size() > 3",
                "device.driver == 'a.example'",
                "device.allowMultipleAllocations",
                "optional.of(%s).optMap(m, '%s' in m).value()".formatted(ids, id)));
        return leaves.get(random.nextInt(leaves.size()));
    }

    @Test
    void sharesResultOfDevicesThatDifferInUnreadFields() {
        CompiledSelector selector = compiled("device.attributes['a.example'].x == 1 && device.driver == 'a.example'");
        assertThat(selector.readPaths())
                .containsExactly(
                        ReadPath.MapEntry.of(ReadPath.DeviceMap.ATTRIBUTES, "a.example", "x"),
                        new ReadPath.DriverName());
        for (int i = 0; i < 100; i++) {
            selector.test(
                    "a.example",
                    Devices.device(Map.of("x", new IntValue(1), "serial", new IntValue(i)), Map.of(), false));
        }
        assertThat(selector.answerCount()).isEqualTo(1);
    }

    @Test
    void readsOnlyKeysWhenOnlyKeysAreIterated() {
        assertThat(compiled("device.attributes['a.example'].exists(k, k == 'x')")
                        .readPaths())
                .containsExactly(new ReadPath.EntryNames(ReadPath.DeviceMap.ATTRIBUTES, "a.example"));
        assertThat(compiled("'x' in device.capacity").readPaths())
                .containsExactly(new ReadPath.DomainNames(ReadPath.DeviceMap.CAPACITY));
        assertThat(compiled("cel.bind(a, device.attributes['a.example'], a.x == 1 && a.?y.orValue(1) == 1)")
                        .readPaths())
                .containsExactly(
                        ReadPath.MapEntry.of(ReadPath.DeviceMap.ATTRIBUTES, "a.example", "x"),
                        ReadPath.MapEntry.of(ReadPath.DeviceMap.ATTRIBUTES, "a.example", "y"));
    }

    @Test
    void clearsMemoWhenFull() {
        CompiledSelector selector = compiled("device.attributes['a.example'].serial >= 0");
        for (int i = 0; i < 3000; i++) {
            selector.test("a.example", Devices.device(Map.of("serial", new IntValue(i)), Map.of(), false));
        }
        assertThat(selector.answerCount()).isLessThanOrEqualTo(2048).isPositive();
    }

    private static CompiledSelector compiled(String expression) {
        return (CompiledSelector) SELECTORS.compile(expression);
    }
}
