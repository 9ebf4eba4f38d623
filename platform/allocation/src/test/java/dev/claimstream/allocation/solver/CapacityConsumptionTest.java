package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the amount that a request consumes of a shared device, by request policy.
 *
 * <p>The rules are those of {@code capacity.requestPolicy} in the Kubernetes API.
 */
final class CapacityConsumptionTest {
    private static final String MEMORY = "memory";

    private static Optional<Quantity> quantity(String text) {
        return Optional.ofNullable(text).map(Quantity::parse);
    }

    private static Optional<DeviceCapacity.Range> range(String min, String max, String step) {
        return min == null && max == null && step == null
                ? Optional.empty()
                : Optional.of(new DeviceCapacity.Range(quantity(min), quantity(max), quantity(step)));
    }

    private static String consumed(
            Optional<Quantity> asked, DeviceCapacity.RequestPolicy policy, String value, boolean fractional) {
        SortedMap<String, Quantity> requested = new TreeMap<>();
        asked.ifPresent(amount -> requested.put(MEMORY, amount));
        var capacity = new DeviceCapacity(Quantity.parse(value), Optional.of(policy));
        var device = Device.builder("gpu-0")
                .capacity(new TreeMap<>(Map.of(MEMORY, capacity)))
                .allowMultipleAllocations(true)
                .build();
        return text(CapacityConsumption.of(requested, device, fractional));
    }

    private static String text(CapacityConsumption consumption) {
        return switch (consumption) {
            case CapacityConsumption.CapacityAmounts(var amounts) -> Objects.toString(amounts.get(MEMORY));
            case CapacityConsumption.UnsatisfiableCapacity reason ->
                reason.amount().map(each -> reason.violation() + " " + each).orElse("ABSENT");
            case CapacityConsumption.UnrepresentableAmount(var message) -> message;
        };
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    # requested, min, max, step, consumed
                    ,            2Gi, 16Gi, 2Gi, 4Gi
                    1,           2Gi, 16Gi, 2Gi, 2Gi
                    2Gi,         2Gi, 16Gi, 2Gi, 2Gi
                    3Gi,         2Gi, 16Gi, 2Gi, 4Gi
                    16Gi,        2Gi, 16Gi, 2Gi, 16Gi
                    17Gi,        2Gi, 16Gi, 2Gi, FORBIDDEN 18Gi
                    41Gi,        2Gi, 16Gi, 2Gi, INSUFFICIENT 42Gi
                    5Gi,         2Gi, 16Gi,    , 5Gi
                    17Gi,        2Gi, 16Gi,    , FORBIDDEN 17Gi
                    5Gi,            , 16Gi, 2Gi, FORBIDDEN 5Gi
                    4Gi,            , 16Gi, 2Gi, 4Gi
                    3Gi,         1Gi,     , 2Gi, 3Gi
                    3Gi,         1Gi,     ,   0, 'capacity "memory": capacity request cannot be represented in the device''s range arithmetic: the step of the range is zero'
                    9223372036854775808, 1, , 1, 'capacity "memory": capacity request cannot be represented in the device''s range arithmetic: request 9223372036854775808 exceeds MaxInt64'
                    9223372036854775807, 1, , 2Gi, 'capacity "memory": capacity request cannot be represented in the device''s range arithmetic: rounding request 9223372036854775807 up to the next step passes MaxInt64'
                    """)
    void roundsRequestUpToStepOfRange(String requested, String min, String max, String step, String consumed) {
        var policy = new DeviceCapacity.RequestPolicy(quantity("4Gi"), List.of(), range(min, max, step));
        assertThat(consumed(quantity(requested), policy, "40Gi", false)).isEqualTo(consumed);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    # requested, fractional, consumed
                    250m,        true,       300m
                    900m,        true,       900m
                    901m,        true,       1
                    250m,        false,      1
                    1500m,       true,       FORBIDDEN 1500m
                    1m,          true,       100m
                    0.0001,      true,       100m
                    0.2500001,   true,       'capacity "memory": capacity request cannot be represented in the device''s range arithmetic: request 250000100n is not a representable milli value'
                    """)
    void roundsToThousandthsOnlyWithGate(String requested, boolean fractional, String consumed) {
        var policy = new DeviceCapacity.RequestPolicy(Optional.empty(), List.of(), range("100m", "1", "100m"));
        assertThat(consumed(quantity(requested), policy, "2", fractional)).isEqualTo(consumed);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    # requested, consumed
                    ,            1Gi
                    1Gi,         1Gi
                    2Gi,         4Gi
                    8Gi,         8Gi
                    9Gi,         FORBIDDEN 9Gi
                    41Gi,        INSUFFICIENT 41Gi
                    """)
    void takesNextValidValue(String requested, String consumed) {
        List<Quantity> valid = Arrays.stream(new String[] {"1Gi", "4Gi", "8Gi"})
                .map(Quantity::parse)
                .toList();
        var policy = new DeviceCapacity.RequestPolicy(quantity("1Gi"), valid, Optional.empty());
        assertThat(consumed(quantity(requested), policy, "40Gi", false)).isEqualTo(consumed);
    }

    /** The API allows a default outside the range. */
    @Test
    void defaultNeedsNoStep() {
        var policy = new DeviceCapacity.RequestPolicy(quantity("5Gi"), List.of(), range("2Gi", "4Gi", "2Gi"));
        assertThat(consumed(Optional.empty(), policy, "40Gi", false)).isEqualTo("5Gi");
        assertThat(consumed(quantity("5Gi"), policy, "40Gi", false)).isEqualTo("FORBIDDEN 6Gi");
    }

    @Test
    void consumesWholeCapacityWithoutRequestAndDefault() {
        var policy = new DeviceCapacity.RequestPolicy(Optional.empty(), List.of(), Optional.empty());
        assertThat(consumed(Optional.empty(), policy, "40Gi", false)).isEqualTo("40Gi");
        assertThat(consumed(quantity("-1"), policy, "40Gi", false))
                .isEqualTo("capacity \"memory\": capacity value is negative");
    }

    @Test
    void namesCapacityThatDeviceLacks() {
        SortedMap<String, Quantity> requested = new TreeMap<>();
        requested.put("bandwidth", Quantity.of(1));
        assertThat(CapacityConsumption.of(requested, Device.builder("gpu-0").build(), false))
                .isEqualTo(new CapacityConsumption.UnsatisfiableCapacity(
                        "bandwidth", Optional.empty(), CapacityConsumption.CapacityViolation.ABSENT));
    }
}
