package io.rocketbufs.rbmq.broker;

import java.util.List;

/**
 * The rules of {@code rbmq.topics}, which determine how a topic's buffers are treated. They are evaluated when a
 * publisher announces a topic, never per message.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class TopicRules {
    private final List<TopicRule> rules;
    private final TopicRule others;
    private final TopicRule inboxes;

    TopicRules(BrokerSettings settings) {
        this.rules = settings.topics().stream().map(TopicRule::of).toList();
        this.others = TopicRule.ofOthers(settings.buffers());
        this.inboxes = TopicRule.ofInboxes(settings.buffers());
    }

    /**
     * Returns the first rule that matches a topic or, if no rule matches, the treatment defined by {@code rbmq.broker}.
     */
    TopicRule of(String topic, boolean isInbox) {
        if (isInbox) {
            return inboxes;
        }
        for (TopicRule rule : rules) {
            if (rule.matches(topic)) {
                return rule;
            }
        }
        return others;
    }
}
