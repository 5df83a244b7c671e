package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

/** The sources of memory that tests run with. */
final class PageSources {
    private PageSources() {}

    /** Returns mmap, and fails with the cause if it is not available on this machine. */
    static PageSource mapped() {
        PageSource source = PageSource.forThisMachine();
        assertThat(source.kind()).isEqualTo("mmap");
        return source;
    }

    static Stream<PageSource> both() {
        return Stream.of(mapped(), PageSource.direct("chosen by the test"));
    }

    /** Returns mmap, and adds its slabs to a list as they are reserved. */
    static PageSource recordedIn(List<RecordingPages> recorded) {
        PageSource mapped = mapped();
        return new PageSource("recorded", mapped.pageLength(), length -> {
            RecordingPages pages = new RecordingPages(mapped.reserve().apply(length));
            recorded.add(pages);
            return pages;
        });
    }
}
