package dev.claimstream.allocation.solver;

import java.util.Arrays;
import java.util.List;

/**
 * The compatibility groups that all devices of a counter set have in common: a device may join where it shares a group with all that
 * are there, or where neither it nor any of them has a group.
 *
 * <p>Upstream: {@code compatibility_groups.go} of the structured allocator. Groups are ascending numbers.
 */
final class Groups {
    /** Nobody is there. */
    static final int[] NOBODY = {-1};
    /** Those who are there have no groups. */
    private static final int[] NONE = {};
    /** Those who are there have nothing in common: nobody may join. */
    private static final int[] CLOSED = {-2};

    private Groups() {}

    /** What those have in common who hold devices, however they came together. */
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

    /** What is common after a device that is admitted has joined. */
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
