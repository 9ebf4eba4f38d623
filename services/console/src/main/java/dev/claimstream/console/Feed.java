package dev.claimstream.console;

import java.util.Optional;

/** How far the world is told. */
public interface Feed {
    /** Whether it goes on being told. */
    boolean isAlive();

    /** Whether it knows everything that was there at the start. */
    boolean isCaughtUp();

    /** What keeps it from being told at the moment, if something does; it goes on by itself when that is over. */
    Optional<String> trouble();
}
