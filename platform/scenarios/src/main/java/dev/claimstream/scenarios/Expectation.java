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
    record Results(List<Result> results) implements Expectation {
        public Results {
            results = List.copyOf(results);
        }
    }

    /** The claims cannot be allocated. */
    record DoesNotFit() implements Expectation {}

    /**
     * The claims cannot be decided because of an error.
     *
     * @param message a part of upstream's message
     */
    record Fails(String message) implements Expectation {}

    /**
     * The expected allocation of a claim.
     *
     * @param parts the fields of the allocation that are compared
     */
    record Result(ObjectKey claim, Allocation allocation, Set<Part> parts) {
        public Result {
            Set<Part> copy = EnumSet.noneOf(Part.class);
            copy.addAll(parts);
            parts = Collections.unmodifiableSet(copy);
        }
    }

    /** A field of an allocation. */
    enum Part {
        /** The devices and the parameters for their drivers. */
        DEVICES("devices"),
        /** The nodes that can reach the devices. */
        NODE_SELECTOR("nodeSelector");

        private final String field;

        Part(String field) {
            this.field = field;
        }

        /** Returns the name in manifests. */
        String field() {
            return field;
        }
    }
}
