package io.rocketbufs.settings;

import java.util.Collection;

/** The similarity of names, used to suggest a correction for a misspelt name. */
public final class SimilarNames {
    private static final int LETTERS_PER_ERROR = 3;

    private SimilarNames() {}

    /** Returns the candidate most similar to the word, or null if none is similar enough. */
    public static String nearest(String word, Collection<String> candidates) {
        String nearest = null;
        int least = Math.max(2, word.length() / LETTERS_PER_ERROR) + 1;
        for (String candidate : candidates) {
            int distance = distance(word, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /**
     * Returns the number of edits that turn one word into another. An edit inserts, removes or replaces a letter, or
     * swaps two adjacent letters.
     */
    static int distance(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] reused = beforeLast;
            beforeLast = last;
            last = row;
            row = reused;
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(last[j], row[j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], 1 + beforeLast[j - 2]);
                }
            }
        }
        return row[b.length()];
    }
}
