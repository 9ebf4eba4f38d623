package dev.claimstream.history;

import java.util.List;

/**
 * What the fold knows about a slice.
 *
 * @param devices keys of its devices
 */
record SliceFact(String uid, String source, long epoch, long version, List<String> devices) {
    SliceFact {
        devices = List.copyOf(devices);
    }
}
