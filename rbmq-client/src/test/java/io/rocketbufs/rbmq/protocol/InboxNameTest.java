package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class InboxNameTest {
    @Test
    void shouldMakeDifferentNames() {
        String name = InboxName.random();
        assertThat(InboxName.is(name)).isTrue();
        assertThat(InboxName.random()).isNotEqualTo(name).hasSize(35).startsWith("$R/");
    }

    @ParameterizedTest
    @CsvSource({
        "$R/0123456789abcdef0123456789abcdef, true",
        "$R/0123456789abcdef0123456789abcde, false",
        "$R/0123456789abcdef0123456789abcdeff, false",
        "$R/0123456789ABCDEF0123456789abcdef, false",
        "$R/0123456789abcdef/123456789abcdef, false",
        "$R/+123456789abcdef0123456789abcdef, false",
        "$R/0123456789abcdef0123456789abcde#, false",
        "$S/0123456789abcdef0123456789abcdef, false",
        "R/00123456789abcdef0123456789abcdef, false",
        "$R/, false",
        "'', false"
    })
    void shouldKnowInboxes(String name, boolean expected) {
        assertThat(InboxName.is(name)).isEqualTo(expected);
    }

    @Test
    void shouldShowOnlyTheBeginningOfAnInbox() {
        assertThat(InboxName.shown("$R/0123456789abcdef0123456789abcdef")).isEqualTo("$R/01234567...");
        assertThat(InboxName.shown("R/0123456789abcdef0123456789abcdef"))
                .isEqualTo("R/0123456789abcdef0123456789abcdef");
    }

    @Test
    void shouldPassInboxesOnTheWireButNotInPrograms() {
        String inbox = InboxName.random();
        assertThat(AnnounceLayout.topic(AnnounceLayout.write(1, 1000, inbox).position(2)))
                .isEqualTo(inbox);
        TopicFilter filter =
                TopicLayout.filter(TopicLayout.write(1, null, inbox).position(2));
        assertThat(filter).hasToString(inbox);
        assertThat(filter.isWildcard()).isFalse();
        assertThat(filter.matches(inbox)).isTrue();
        assertThat(TopicFilter.of("#").matches(inbox)).isFalse();
        assertThat(TopicFilter.of("+/#").matches(inbox)).isFalse();
        assertThat(TopicFilter.of("+/+").matches(inbox)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> TopicName.encode(inbox));
        assertThatIllegalArgumentException().isThrownBy(() -> TopicName.decode(ByteBuffer.wrap(inbox.getBytes(UTF_8))));
        assertThatIllegalArgumentException().isThrownBy(() -> TopicFilter.of(inbox));
    }
}
