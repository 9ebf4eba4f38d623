package dev.claimstream.console;

/** How far the world is told. */
public interface Feed {
    /** Whether it goes on being told. */
    boolean isAlive();

    /** Whether it knows everything that was there at the start. */
    boolean isCaughtUp();
}
