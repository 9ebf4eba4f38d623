package dev.claimstream.allocation.solver;

import java.util.Arrays;
import java.util.List;

/**
 * Common compatibility groups of the devices that consume one counter set. A device is admitted if it shares a group
 * with all devices there, or if neither it nor any of them has a group.
 *
 * <p>Groups are ascending numbers. Source: {@code compatibility_groups.go} of kube-scheduler's structured allocator.
 */
final class Groups {
    /** No device consumes the counter set. */
    static final int[] NOBODY = {-1};
    /** The devices do not have groups. */
    private static final int[] NONE = {};
    /** The devices have no common group: no further device is admitted. */
    private static final int[] CLOSED = {-2};

    private Groups() {}

    /** Returns the common groups of allocated devices, also of combinations that {@link #admits} would reject. */
    static int[] common(List<int[]> held) {
        int[] common = NOBODY;
        for (int[] groups : held) {
            boolean isOutside = common != NOBODY && (common.length == 0 || groups.length == 0);
            if (!isOutside) {
                common = joined(common, groups);
            }
        }
        return common;
    }

    static boolean admits(int[] common, int[] groups) {
        return isNobody(common) || (common.length == 0 && groups.length == 0) || meet(common, groups).length > 0;
    }

    /** Returns the common groups after an admitted device has joined. */
    static int[] joined(int[] common, int[] groups) {
        if (isNobody(common)) {
            return groups.length == 0 ? NONE : groups;
        }
        if (common.length == 0) {
            return NONE;
        }
        int[] meet = meet(common, groups);
        return meet.length == 0 ? CLOSED : meet;
    }

    private static boolean isNobody(int[] common) {
        return common.length == 1 && common[0] == NOBODY[0];
    }

    private static int[] meet(int[] one, int[] other) {
        return Arrays.stream(one)
                .filter(group -> Arrays.binarySearch(other, group) >= 0)
                .toArray();
    }
}
