package dev.claimstream.load.services;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Drops every packet from one process to the brokers, so that its connections stay open without a response. Needs root,
 * {@code iptables} and {@code setpriv}: the process runs with a group id of its own, which the rule names.
 */
final class NetworkCut implements AutoCloseable {
    private static final int GROUP = 61_001;
    private static final List<String> OWNER = List.of("-m", "owner", "--gid-owner", Integer.toString(GROUP));

    private final List<Integer> ports;
    private boolean isCut;

    /** @param ports of the brokers */
    NetworkCut(List<Integer> ports) {
        this.ports = List.copyOf(ports);
    }

    /** Returns what is missing; empty if packets can be dropped here. */
    static String missing() {
        if (RootCommand.run(List.of("setpriv", "--regid", Integer.toString(GROUP), "--clear-groups", "true")) != 0) {
            return "root and setpriv (Debian's util-linux)";
        }
        List<String> rule = rule("-A", List.of(1));
        if (RootCommand.run(rule) != 0) {
            return "root and iptables with the owner match";
        }
        return RootCommand.run(rule("-D", List.of(1))) == 0 ? "" : "iptables that removes a rule";
    }

    /** The words before the command of the process. */
    static List<String> prefix() {
        return List.of("setpriv", "--regid", Integer.toString(GROUP), "--clear-groups");
    }

    void cut() throws IOException {
        isCut = true;
        RootCommand.require(rule("-A", ports));
    }

    void end() throws IOException {
        isCut = false;
        RootCommand.require(rule("-D", ports));
    }

    private static List<String> rule(String action, List<Integer> ports) {
        List<String> words = new ArrayList<>(List.of("iptables", "-w", action, "OUTPUT", "-p", "tcp"));
        words.addAll(List.of(
                "-m",
                "multiport",
                "--dports",
                ports.stream().map(String::valueOf).collect(Collectors.joining(","))));
        words.addAll(OWNER);
        words.addAll(List.of("-j", "DROP"));
        return words;
    }

    @Override
    public void close() throws IOException {
        if (isCut) {
            end();
        }
    }
}
