package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.CounterName;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Optional;

/** A limit that a device exceeds for a request, with exact amounts. */
sealed interface Shortage {
    /** Describes the shortage, with the requested and remaining amounts. */
    String text();

    /** Joins names to a text, with at most four of them. */
    static String joinNames(List<String> names) {
        int max = 4;
        int more = names.size() - max;
        return more > 0
                ? "%s and %d more".formatted(String.join(", ", names.subList(0, max)), more)
                : String.join(" and ", names);
    }

    /** A shared counter has less left than a device consumes. */
    record CounterShortage(String device, CounterName counter, Quantity consumed, Quantity remaining, Quantity declared)
            implements Shortage {
        @Override
        public String text() {
            return "%s consumes %s of counter %s, %s of %s is left"
                    .formatted(device, consumed, counter.text(), remaining, declared);
        }
    }

    /** A shared device has less capacity left than a request consumes. */
    record CapacityShortage(CapacityDemand demand, String device, Quantity remaining, Quantity value)
            implements Shortage {
        @Override
        public String text() {
            return "%s, %s of %s is left on %s".formatted(demand.text(), remaining, value, device);
        }
    }

    /** A device has no compatibility group in common with other devices of a counter set. */
    record GroupConflict(String device, List<String> groups, String counterSet, String other, List<String> otherGroups)
            implements Shortage {
        @Override
        public String text() {
            return "%s (%s) is incompatible with %s (%s) on counter set %s"
                    .formatted(device, names(groups), other, names(otherGroups), counterSet);
        }

        private static String names(List<String> groups) {
            return groups.isEmpty()
                    ? "no compatibility group"
                    : "compatibility group%s %s".formatted(groups.size() == 1 ? "" : "s", String.join(" and ", groups));
        }
    }

    /**
     * Consumption of a capacity by a request.
     *
     * @param requested absent if the request names no amount
     * @param consumed amount after rounding
     * @param hasPolicy whether the device publishes a request policy for the capacity
     */
    record CapacityDemand(
            String request, String capacity, Optional<Quantity> requested, Quantity consumed, boolean hasPolicy) {
        String text() {
            if (requested.isEmpty()) {
                return "request %s consumes %s of %s, %s"
                        .formatted(
                                request,
                                consumed,
                                capacity,
                                hasPolicy ? "the default of the request policy" : "all of it, as it names no amount");
            }
            String demand = "request %s asks for %s of %s".formatted(request, requested.get(), capacity);
            return requested.get().equals(consumed)
                    ? demand
                    : "%s, rounded up to %s by the request policy".formatted(demand, consumed);
        }
    }
}
