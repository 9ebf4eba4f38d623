package dev.claimstream.writer;

import io.micronaut.runtime.Micronaut;

/** The writer as a process of its own. */
public final class Main {
    private Main() {}

    /** Starts it; it runs until it is stopped, and ends with 1 where it cannot go on. */
    public static void main(String[] args) throws InterruptedException {
        try (var context = Micronaut.build(args).banner(false).start()) {
            var writer = context.findBean(Writer.class);
            if (writer.isPresent()) {
                writer.get().awaitEnd();
                System.exit(writer.get().isAlive() ? 0 : 1);
            }
        }
    }
}
