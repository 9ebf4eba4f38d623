package dev.claimstream.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Quantity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the short form of device names, which a shell expands to the same names. */
class DeviceNamesTest {
    private static final Pattern BRACES = Pattern.compile("([^{}]*)\\{([^{}]*)}([^{}]*)");

    @Test
    void foldsConsecutiveNumbersToRange() {
        assertThat(DeviceNames.folded(List.of("gpu-0", "gpu-1", "gpu-2", "gpu-3")))
                .containsExactly("gpu-{0..3}");
    }

    @Test
    void keepsSingleName() {
        assertThat(DeviceNames.folded(List.of("gpu-7"))).containsExactly("gpu-7");
        assertThat(DeviceNames.folded(List.of("dpu"))).containsExactly("dpu");
    }

    @Test
    void keepsNamesWithoutNumbers() {
        assertThat(DeviceNames.folded(List.of("gpu-0", "gpu-1", "nic"))).containsExactly("gpu-{0..1}", "nic");
    }

    @Test
    void listsConsumptionOfEachShare() {
        var shared = new Allocation(
                List.of(
                        share("a", "eth1", "9G"),
                        share("b", "eth1", "1G"),
                        share("c", "eth1", "1G"),
                        share("d", "eth2", "1G")),
                List.of(),
                Optional.empty(),
                Optional.empty());
        assertThat(DeviceNames.of(shared))
                .isEqualTo("net.example.com pool/eth1 (bandwidth 9G) pool/eth1 (bandwidth 1G) pool/eth1 (bandwidth 1G)"
                        + " pool/eth2 (bandwidth 1G)");
    }

    private static DeviceResult share(String request, String device, String bandwidth) {
        return DeviceResult.builder(request, new DeviceId("net.example.com", "pool", device))
                .shareId(Optional.of("share-" + request))
                .consumedCapacity(new TreeMap<>(Map.of("bandwidth", Quantity.parse(bandwidth))))
                .build();
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void expandsToSameNamesInShell(long seed) {
        List<String> names = names(new Random(seed));
        assertThat(new TreeSet<>(expandBraces(DeviceNames.folded(names)))).isEqualTo(new TreeSet<>(names));
    }

    private static List<String> names(Random random) {
        List<String> stems = List.of("gpu-", "gpu-0", "accel", "0000-19-00-0-0x", "", "mig-1g.10gb-", "a-1-");
        TreeSet<String> names = new TreeSet<>();
        int count = 1 + random.nextInt(12);
        for (int i = 0; i < count; i++) {
            String stem = stems.get(random.nextInt(stems.size()));
            names.add(
                    switch (random.nextInt(6)) {
                        case 0 -> stem + "x";
                        case 1 -> stem + "0" + random.nextInt(12);
                        case 2 -> stem + (999_999_990L + random.nextInt(40));
                        case 3 -> stem + (9_999_999_990L + random.nextInt(40));
                        default -> stem + random.nextInt(12);
                    });
        }
        List<String> shuffled = new ArrayList<>(names);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }

    /** Expands braces as bash does. */
    private static List<String> expandBraces(List<String> folded) {
        List<String> names = new ArrayList<>();
        for (String each : folded) {
            Matcher matcher = BRACES.matcher(each);
            if (!matcher.matches()) {
                names.add(each);
                continue;
            }
            Arrays.stream(matcher.group(2).split(",", -1))
                    .flatMap(DeviceNamesTest::numbers)
                    .forEach(number -> names.add(matcher.group(1) + number + matcher.group(3)));
        }
        return names;
    }

    private static Stream<String> numbers(String run) {
        if (!run.contains("..")) {
            return Stream.of(run);
        }
        String[] ends = run.split("\\.\\.", -1);
        return LongStream.rangeClosed(Long.parseLong(ends[0]), Long.parseLong(ends[1]))
                .mapToObj(Long::toString);
    }
}
