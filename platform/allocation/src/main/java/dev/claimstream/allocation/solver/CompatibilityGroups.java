package dev.claimstream.allocation.solver;

import java.util.Arrays;
import java.util.List;

/**
 * Common compatibility groups of the devices that consume one counter set. A device is admitted if it shares a group
 * with all devices there, or if neither it nor any of them has a group.
 *
 * <p>Groups are ascending numbers. Source: {@code compatibility_groups.go} of kube-scheduler's structured allocator.
 */
final class CompatibilityGroups {
    /** No device consumes the counter set. */
    static final int[] UNUSED = {-1};
    /** The devices do not have groups. */
    private static final int[] UNGROUPED = {};
    /** The devices have no common group: no further device is admitted. */
    private static final int[] DISJOINT = {-2};

    private CompatibilityGroups() {}

    /** Returns the common groups of allocated devices, also of combinations that {@link #admits} would reject. */
    static int[] common(List<int[]> used) {
        int[] common = UNUSED;
        for (int[] groups : used) {
            boolean isOutside = common != UNUSED && (common.length == 0 || groups.length == 0);
            if (!isOutside) {
                common = join(common, groups);
            }
        }
        return common;
    }

    static boolean admits(int[] common, int[] groups) {
        return isUnused(common)
                || (common.length == 0 && groups.length == 0)
                || intersection(common, groups).length > 0;
    }

    /** Returns the common groups after an admitted device has joined. */
    static int[] join(int[] common, int[] groups) {
        if (isUnused(common)) {
            return groups.length == 0 ? UNGROUPED : groups;
        }
        if (common.length == 0) {
            return UNGROUPED;
        }
        int[] meet = intersection(common, groups);
        return meet.length == 0 ? DISJOINT : meet;
    }

    private static boolean isUnused(int[] common) {
        return common.length == 1 && common[0] == UNUSED[0];
    }

    private static int[] intersection(int[] one, int[] other) {
        return Arrays.stream(one)
                .filter(group -> Arrays.binarySearch(other, group) >= 0)
                .toArray();
    }
}
