package dev.claimstream.cli.output;

import dev.claimstream.console.ConsumedCapacity;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Formats devices briefly: {@code gpu.nvidia.com gpu-02/gpu-{0..7}}, {@code net.example.com pool/eth1 (bandwidth 9G)}. */
public final class DeviceNames {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(0|[1-9][0-9]{0,8})");

    private DeviceNames() {}

    /** Formats all devices of an allocation. */
    public static String of(Allocation allocation) {
        return of(allocation, Integer.MAX_VALUE);
    }

    /** Formats the devices, with a count for each pool that still has more than {@code namesMax} names after folding. */
    public static String of(Allocation allocation, int namesMax) {
        Map<String, Map<Group, List<String>>> byDriver = new LinkedHashMap<>();
        for (DeviceResult result : allocation.results()) {
            byDriver.computeIfAbsent(result.device().driver(), driver -> new LinkedHashMap<>())
                    .computeIfAbsent(Group.of(allocation, result), group -> new ArrayList<>())
                    .add(result.device().device() + (result.adminAccess() ? " (admin)" : ""));
        }
        List<String> parts = new ArrayList<>();
        byDriver.forEach((driver, pools) -> {
            List<String> names = new ArrayList<>();
            pools.forEach((group, devices) -> names.addAll(names(group, devices, namesMax)));
            parts.add(driver + " " + String.join(" ", names));
        });
        return String.join(" · ", parts);
    }

    /**
     * Devices of one pool with the same consumed capacity.
     *
     * @param share index of the share, for a claim with several shares of one device, so that each share is listed
     */
    private record Group(String pool, String consumed, int share) {
        @SuppressWarnings("ReferenceEquality") // equal results are different shares
        static Group of(Allocation allocation, DeviceResult result) {
            String consumed = ConsumedCapacity.text(result);
            int share = (int) allocation.results().stream()
                    .takeWhile(each -> each != result)
                    .filter(each -> each.device().equals(result.device()))
                    .count();
            return new Group(result.device().pool(), consumed.isEmpty() ? "" : " (" + consumed + ")", share);
        }
    }

    private static List<String> names(Group group, List<String> devices, int namesMax) {
        List<String> folded = folded(devices);
        return folded.size() > namesMax
                ? List.of("%s (%d devices)%s".formatted(group.pool, devices.size(), group.consumed))
                : folded.stream()
                        .map(device -> group.pool + "/" + device + group.consumed)
                        .toList();
    }

    /** Folds names that differ only in a final number. Consecutive numbers become a range. */
    static List<String> folded(List<String> names) {
        Map<String, NavigableSet<Integer>> numbers = new LinkedHashMap<>();
        List<String> plain = new ArrayList<>();
        for (String name : names) {
            Matcher matcher = NUMBERED.matcher(name);
            if (matcher.matches()) {
                numbers.computeIfAbsent(matcher.group(1), stem -> new TreeSet<>())
                        .add(Integer.parseInt(matcher.group(2)));
            } else {
                plain.add(name);
            }
        }
        List<String> folded = new ArrayList<>();
        numbers.forEach((stem, set) -> folded.add(stem + ranges(set)));
        folded.addAll(plain);
        return folded;
    }

    private static String ranges(NavigableSet<Integer> numbers) {
        List<String> runs = new ArrayList<>();
        int first = numbers.first();
        int last = first;
        for (int number : numbers.tailSet(first, false)) {
            if (number != last + 1) {
                runs.add(run(first, last));
                first = number;
            }
            last = number;
        }
        runs.add(run(first, last));
        String text = String.join(",", runs);
        return runs.size() == 1 && !text.contains("..") ? text : "{" + text + "}";
    }

    private static String run(int first, int last) {
        return first == last ? Integer.toString(first) : first + ".." + last;
    }
}
