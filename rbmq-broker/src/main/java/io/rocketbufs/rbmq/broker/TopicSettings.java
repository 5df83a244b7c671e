package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.settings.SettingsReader;
import java.util.ArrayList;
import java.util.List;

/**
 * An element of {@code rbmq.topics}: a rule for the buffers of all topics that match a filter, unless an earlier rule
 * applies to them.
 *
 * @param match the filter
 * @param buffers the settings of these topics' buffers
 */
public record TopicSettings(TopicFilter match, BufferSettings buffers) {
    private static final String LIST = "topics";
    private static final String MATCH = "match";

    /**
     * Reads all rules.
     *
     * @param reader reader of {@code rbmq}
     * @param broker reader of {@code rbmq.broker}, for the keys that a rule does not set
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    static List<TopicSettings> from(SettingsReader reader, SettingsReader broker) {
        List<String> known = new ArrayList<>(List.of(MATCH));
        known.addAll(BufferSettings.KEYS);
        List<TopicSettings> rules = new ArrayList<>();
        for (SettingsReader rule : reader.list(LIST)) {
            rule.only(known.toArray(String[]::new));
            BufferSettings buffers = BufferSettings.from(rule, broker);
            // Read last, because a check of the whole configuration ignores a rule without a filter.
            rules.add(new TopicSettings(match(rule), buffers));
        }
        return List.copyOf(rules);
    }

    private static TopicFilter match(SettingsReader rule) {
        String text = rule.text(MATCH);
        try {
            return TopicFilter.of(text);
        } catch (IllegalArgumentException e) {
            throw rule.wrong(MATCH, e.getMessage());
        }
    }

    /**
     * Returns a warning for each rule that applies to no topic because earlier rules apply to every topic that it
     * matches.
     */
    static List<String> warnings(List<TopicSettings> rules) {
        List<String> warnings = new ArrayList<>();
        for (int i = 1; i < rules.size(); i++) {
            TopicFilter filter = rules.get(i).match;
            TopicRights earlier = new TopicRights(
                    rules.subList(0, i).stream().map(TopicSettings::match).toList());
            if (earlier.covers(filter)) {
                warnings.add("rbmq." + LIST + "[" + i + "] never applies: earlier rules match all topics that \""
                        + filter + "\" matches; move it before them, or remove it");
            }
        }
        return warnings;
    }
}
