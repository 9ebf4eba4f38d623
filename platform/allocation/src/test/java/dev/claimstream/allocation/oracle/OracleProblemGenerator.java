package dev.claimstream.allocation.oracle;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/** Generates small random problems that cover all supported features. Equal seeds generate equal problems. */
public final class OracleProblemGenerator {
    private final Random random;
    private final ProblemFamily profile;

    private OracleProblemGenerator(long seed, ProblemFamily profile) {
        this.random = new Random(seed);
        this.profile = profile;
    }

    /** Size and rarity parameters of a family of problems. */
    public enum ProblemFamily {
        /** All features; most nodes are small. */
        MIXED(7, 2, 3, 100),
        /** Few free devices with several requests and constraints, for large searches. */
        SCARCE(9, 2, 3, 25),
        /** More devices, requests and claims with few rare features, for long searches. */
        LONG(13, 3, 4, 6);

        private final int devicesMax;
        private final int claimsMax;
        private final int requestsMax;
        /** Frequency of rare features of pools and nodes, in percent of the mixed profile. */
        private final int rareFeaturePercent;

        ProblemFamily(int devicesMax, int claimsMax, int requestsMax, int oddity) {
            this.devicesMax = devicesMax;
            this.claimsMax = claimsMax;
            this.requestsMax = requestsMax;
            this.rareFeaturePercent = oddity;
        }
    }

    /** Generates the problem of a seed. */
    public static OracleProblem random(long seed, ProblemFamily profile) {
        return new OracleProblemGenerator(seed, profile).problem();
    }

    private OracleProblem problem() {
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= (chance(60) ? 1 : 2 + random.nextInt(2)); i++) {
            nodes.add(SampleObjects.node("node-" + i, "zone=" + pick("a", "b"), "rack=" + pick("1", "2")));
        }
        List<ResourceSlice> slices = slices(nodes.size());
        return new OracleProblem(nodes, slices, rules(), classes(), allocatedDevices(slices), claims());
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private boolean rareChance(int percent) {
        return random.nextInt(10_000) < percent * profile.rareFeaturePercent;
    }

    private String pick(String... options) {
        return options[random.nextInt(options.length)];
    }

    // ---- pools

    private List<ResourceSlice> slices(int nodes) {
        List<ResourceSlice> slices = new ArrayList<>();
        int left = Math.max(random.nextInt(profile.devicesMax + 1), random.nextInt(profile.devicesMax + 1));
        int pools = 1 + random.nextInt(3);
        for (int pool = 0; pool < pools; pool++) {
            int here = pool == pools - 1 ? left : random.nextInt(left + 1);
            left -= here;
            addPool(slices, pool, here, nodes);
        }
        return slices;
    }

    private void addPool(List<ResourceSlice> slices, int number, int devices, int nodes) {
        String driver = rareChance(20) ? "other.example" : SampleObjects.DRIVER;
        String pool = "pool-" + (rareChance(10) ? 0 : number);
        String where = scope(nodes);
        int parts = 1 + random.nextInt(2);
        int count = rareChance(4) ? parts + 1 : parts;
        long generation = 1L + random.nextInt(2);
        int next = 0;
        for (int part = 0; part < parts; part++) {
            int until = part == parts - 1 ? devices : next + random.nextInt(devices - next + 1);
            List<Device> offered = new ArrayList<>();
            for (; next < until; next++) {
                String name = "dev-" + (rareChance(2) ? 0 : next);
                offered.add(DeviceText.device(device(name, where, nodes)));
            }
            String location = part > 0 && rareChance(15) ? scope(nodes) : where;
            slices.add(SampleObjects.slice(
                    "slice-%d-%s".formatted(number, pick("a", "b", "c") + part),
                    driver,
                    pool,
                    rareChance(3) ? generation + 1 : generation,
                    count,
                    location,
                    offered));
        }
    }

    private String scope(int nodes) {
        if (rareChance(15)) {
            return pick("*", "zone=a", "rack=2");
        }
        if (rareChance(12)) {
            return "devices";
        }
        return rareChance(2) ? "?" : nodeName(nodes);
    }

    private String nodeName(int nodes) {
        return "node-" + (1 + (chance(80) ? 0 : random.nextInt(nodes)));
    }

    private String device(String name, String where, int nodes) {
        var text = new StringBuilder(name);
        text.append(" kind=").append(chance(80) ? "gpu" : "nic");
        if (chance(85)) {
            text.append(" numa=").append(random.nextInt(2));
        }
        if (chance(60)) {
            text.append(' ')
                    .append(pick("", "", SampleObjects.DRIVER + "/"))
                    .append("root=")
                    .append(pick("x", "y", "z", "1", "[x,y]"));
        }
        if (chance(30)) {
            text.append(" model=").append(pick("a", "b", "v1.0.0"));
        }
        if (chance(30)) {
            text.append(" memory:").append(pick("40Gi", "80Gi"));
        }
        if (rareChance(8)) {
            text.append(" !dead=yes:").append(pick("NoSchedule", "NoExecute", "None"));
        }
        text.append(rareChance(3) ? " ?ready" : "").append(rareChance(4) ? " +binds" : "");
        if (where.equals("devices") || rareChance(2)) {
            text.append(" @").append(chance(70) ? nodeName(nodes) : pick("*", "zone=a", "zone=b", "?"));
        }
        return text.toString();
    }

    private SortedSet<DeviceId> allocatedDevices(List<ResourceSlice> slices) {
        var allocated = new TreeSet<DeviceId>();
        for (ResourceSlice slice : slices) {
            for (Device device : slice.devices()) {
                if (chance(15)) {
                    allocated.add(new DeviceId(slice.driver(), slice.pool(), device.name()));
                }
            }
        }
        return allocated;
    }

    private List<DeviceTaintRule> rules() {
        if (!rareChance(15)) {
            return List.of();
        }
        return List.of(SampleObjects.taintRule(
                "rule", "drain:" + pick("NoSchedule", "NoExecute"), "", pick("", "pool-1"), pick("", "dev-1")));
    }

    private List<DeviceClass> classes() {
        return List.of(
                SampleObjects.withConfig(SampleObjects.deviceClass("any"), "any-parameters"),
                SampleObjects.deviceClass("gpu", "kind=gpu"),
                SampleObjects.withConfig(SampleObjects.deviceClass("nic", "true", "kind=nic"), "one", "two"),
                SampleObjects.deviceClass("touchy", "kind=gpu", "fail-on:dev-2"));
    }

    // ---- claims

    private List<ClaimSpec> claims() {
        List<ClaimSpec> claims = new ArrayList<>();
        for (int i = 0; i < (chance(40) ? 1 : 1 + random.nextInt(profile.claimsMax)); i++) {
            claims.add(ClaimText.spec(claim()));
        }
        return claims;
    }

    private String claim() {
        List<String> parts = new ArrayList<>();
        int requests = chance(40) ? 1 : 1 + random.nextInt(profile.requestsMax);
        for (int i = 0; i < requests; i++) {
            parts.add("r" + i + ": " + request());
        }
        for (int i = 0; i < (chance(40) ? 0 : 1 + random.nextInt(2)); i++) {
            parts.add(pick("match numa", "match root", "distinct root", "distinct numa", "match numa", "match model")
                    + (chance(50) ? "" : " of " + someRequests(requests)));
        }
        if (chance(20)) {
            parts.add("config mine" + (chance(50) ? "" : " of " + someRequests(requests)));
        }
        if (rareChance(1)) {
            parts.add(pick("unknown thing", "x: ?"));
        }
        return String.join("; ", parts);
    }

    private String someRequests(int requests) {
        String first = "r" + random.nextInt(requests);
        return first + (chance(15) ? "/small" : "") + (chance(40) ? ",r" + random.nextInt(requests) : "");
    }

    private String request() {
        if (chance(20)) {
            return "big= " + exactly() + " | small= " + exactly() + (chance(20) ? " | all= all gpu" : "");
        }
        return exactly() + (rareChance(8) ? " admin" : "");
    }

    private String exactly() {
        String amount = rareChance(12)
                ? "all"
                : rareChance(1) ? "33" : chance(50) ? "1" : Integer.toString(1 + random.nextInt(3));
        String name =
                rareChance(1) ? "missing" : rareChance(4) ? "touchy" : pick("any", "any", "gpu", "gpu", "gpu", "nic");
        String selector = !rareChance(25)
                ? ""
                : pick(" [true]", " [model=a]", " [numa=1]", " [fail-on:dev-1]", " [false]", " [root=x] [fail]");
        String tolerated = !rareChance(20) ? "" : pick(" ~dead", " ~dead=no", " ~*", " ~drain:NoSchedule");
        return amount + " " + name + selector + tolerated;
    }
}
