package dev.claimstream.allocator;

import dev.claimstream.observability.Logs;
import io.micronaut.runtime.Micronaut;

/** The allocator as a process of its own. */
public final class Main {
    private Main() {}

    /** Starts it; it runs until it is stopped, or ends with exit code 1 where it cannot go on. */
    public static void main(String[] args) {
        Logs.configure();
        boolean isBroken;
        try (var context = Micronaut.build(args).banner(false).start()) {
            isBroken = context.getBean(Allocator.class).awaitEnd().isPresent();
        }
        if (isBroken) {
            System.exit(1);
        }
    }
}
