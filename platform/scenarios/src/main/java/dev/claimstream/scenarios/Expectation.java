package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What a scenario expects of the claims that it decides. */
public sealed interface Expectation {
    /** They fit, and these get this. */
    record Results(List<Result> results) implements Expectation {
        public Results {
            results = List.copyOf(results);
        }
    }

    /** They do not fit. */
    record DoesNotFit() implements Expectation {}

    /**
     * They cannot be decided.
     *
     * @param message a part of what upstream says
     */
    record Fails(String message) implements Expectation {}

    /**
     * What one claim gets.
     *
     * @param parts of the allocation, those that the scenario speaks of
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
        /** Devices and the parameters for their drivers. */
        DEVICES("devices"),
        /** The nodes that reach them. */
        NODE_SELECTOR("nodeSelector");

        private final String field;

        Part(String field) {
            this.field = field;
        }

        /** The name in manifests. */
        String field() {
            return field;
        }
    }
}
