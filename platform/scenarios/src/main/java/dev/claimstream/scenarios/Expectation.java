package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The expected result for the claims of a scenario. */
public sealed interface Expectation {
    /** The claims are allocated, with these allocations. */
    record Allocated(List<ExpectedAllocation> results) implements Expectation {
        public Allocated {
            results = List.copyOf(results);
        }
    }

    /** The claims cannot be allocated. */
    record Pending() implements Expectation {}

    /**
     * The claims cannot be decided because of an error.
     *
     * @param message a part of upstream's message
     */
    record Failed(String message) implements Expectation {}

    /**
     * The expected allocation of a claim.
     *
     * @param parts the fields of the allocation that are compared
     */
    record ExpectedAllocation(ObjectKey claim, Allocation allocation, Set<AllocationField> parts) {
        public ExpectedAllocation {
            Set<AllocationField> copy = EnumSet.noneOf(AllocationField.class);
            copy.addAll(parts);
            parts = Collections.unmodifiableSet(copy);
        }
    }

    enum AllocationField {
        /** The devices and the parameters for their drivers. */
        DEVICES("devices"),
        /** The nodes that can reach the devices. */
        NODE_SELECTOR("nodeSelector");

        private final String field;

        AllocationField(String field) {
            this.field = field;
        }

        /** Returns the name in manifests. */
        String field() {
            return field;
        }
    }
}
