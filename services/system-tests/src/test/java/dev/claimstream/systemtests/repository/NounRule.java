package dev.claimstream.systemtests.repository;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rule that a noun names each type: the last word is no participle, adjective or verb, and no word is a pronoun or
 * question word. Words that the rule does not know count as nouns.
 */
final class NounRule {
    private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    /** The ends of participles, adjectives and adverbs. */
    private static final Pattern END = Pattern.compile(".+(ed|ing|able|ible|less|ful|ous|ish|ly)");

    /** Nouns with such an end. */
    private static final Set<String> NOUNS = words("""
            Accounting Allocatable Assembly Binding Drawing Family Feed Finding Holding Listing Mapping Naming Need
            Polling Ranking Reading Recording Reply Setting Table Timing Variable Wording
            """);

    private static final Set<String> PRONOUNS = words("""
            Anybody Anyone Anything Everybody Everyone Everything He Her Hers Him His How It Its Me Mine My Nobody
            Nothing Our Ours She Somebody Someone Something Such That Their Theirs Them These They This Those Us We
            What Whatever When Where Whether Which Who Whoever Whom Whose Why You Your Yours
            """);

    /** Types whose pronoun is the name of a command: {@code claimstream who}. */
    private static final Set<String> COMMANDS = Set.of("WhoCommand");

    private static final Set<String> IRREGULAR_PARTICIPLES = words("""
            Begun Broken Brought Built Chosen Done Drawn Felt Forbidden Forgotten Found Frozen Given Gone Heard Held
            Hidden Kept Known Left Lent Lost Made Meant Met Paid Proven Read Reread Said Seen Sent Shown Shut Sold
            Spent Spoken Stuck Taken Taught Thought Thrown Told Unheard Unknown Unseen Unwritten Withdrawn Won
            Written
            """);

    private static final Set<String> ADJECTIVES = words("""
            Absent Active Actual Alike Alive All Any Bad Basic Best Better Big Blank Both Busy Clean Clear Cold
            Common Complete Correct Current Dead Different Dirty Distinct Dry Due Each Earlier Earliest Early Empty
            Equal Every Exact External False Fast Few Fewer Final First Foreign Former Free Fresh Full Good
            Healthy High Hot Idle Impure Inactive Incomplete Inner Internal Invalid Large Larger Largest Last Late
            Later Latest Lazy Least Less Live Local Long Longer Longest Low Many More Most Much New Newer Newest
            Next None Offline Old Older Oldest Online Open Other Others Outer Own Plain Private Pure Quick Quiet
            Rare Ready Real Recent Remote Safe Same Short Silent Similar Simple Single Slow Small Some Stale
            Strict Sure True Unfit Unhealthy Unready Unsafe Valid Warm Whole Worse Worst Wrong Young
            """);

    private static final Set<String> VERBS = words("""
            Acquire Allocate Apply Ask Asks Become Begin Bring Choose Compute Create Deallocate Decide Delete Fails
            Fits Forget Get Gets Give Gives Go Goes Has Is Keep Keeps Know Knows Let Lets Make Makes No Not Put
            Renew Revoke Say Says See Sees Select Send Sends Show Shows Take Takes Tell Tells Waits Want Wants
            """);

    private NounRule() {}

    private static Set<String> words(String text) {
        return Set.of(text.strip().split("\\s+"));
    }

    /** Returns whether a simple name of a type follows the rule. */
    static boolean isNoun(String name) {
        List<String> words = WORD_START.splitAsStream(name).toList();
        String last = words.getLast();
        boolean hasPronoun = words.stream().anyMatch(PRONOUNS::contains) && !COMMANDS.contains(name);
        boolean isOtherWord = IRREGULAR_PARTICIPLES.contains(last) || ADJECTIVES.contains(last) || VERBS.contains(last);
        return !hasPronoun
                && !isOtherWord
                && (NOUNS.contains(last) || !END.matcher(last).matches());
    }
}
