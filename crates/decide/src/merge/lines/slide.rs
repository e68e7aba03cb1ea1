//! Groups of changed lines can often lie a little higher or lower without meaning anything else. Each is put where it
//! meets a group of the other side, or else as low as it can be.

use super::Side;

/// A group of changed lines between two unchanged ones; often empty.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
}

/// Slides every group of `side`. The groups of both sides correspond one to one, in order, before and after.
pub(super) fn slide(side: &mut Side<'_>, other: &mut Side<'_>) {
    let (mut group, mut partner) = (Group::first(side), Group::first(other));
    loop {
        if !group.is_empty() {
            settle(side, other, &mut group, &mut partner);
        }
        if !(group.go_next(side) && partner.go_next(other)) {
            return;
        }
    }
}

fn settle(side: &mut Side<'_>, other: &Side<'_>, group: &mut Group, partner: &mut Group) {
    let (highest_end, meets_partner) = loop {
        let length = group.length();
        while group.slide_up(side) {
            partner.go_previous(other);
        }
        let highest_end = group.end;
        let mut meets_partner = !partner.is_empty();
        while group.slide_down(side) {
            partner.go_next(other);
            meets_partner |= !partner.is_empty();
        }
        if group.length() == length {
            break (highest_end, meets_partner);
        }
    };
    if meets_partner && group.end != highest_end {
        while partner.is_empty() && group.slide_up(side) {
            partner.go_previous(other);
        }
    }
}

impl Group {
    fn first(side: &Side<'_>) -> Self {
        Self { start: 0, end: side.end_of_changes(0) }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn length(&self) -> usize {
        self.end - self.start
    }

    /// Goes on to the group behind the next unchanged line; false if there is none.
    fn go_next(&mut self, side: &Side<'_>) -> bool {
        let has_next = self.end < side.lines.len();
        if has_next {
            self.start = self.end + 1;
            self.end = side.end_of_changes(self.start);
        }
        has_next
    }

    fn go_previous(&mut self, side: &Side<'_>) {
        if self.start > 0 {
            self.end = self.start - 1;
            self.start = start_of_changes(side, self.end);
        }
    }

    /// One line up, joining the group above if it is reached; false if that would mean something else.
    fn slide_up(&mut self, side: &mut Side<'_>) -> bool {
        let slides = self.start > 0 && side.lines[self.start - 1] == side.lines[self.end - 1];
        if slides {
            self.start -= 1;
            self.end -= 1;
            side.is_changed[self.start] = true;
            side.is_changed[self.end] = false;
            self.start = start_of_changes(side, self.start);
        }
        slides
    }

    /// One line down, joining the group below if it is reached; false if that would mean something else.
    fn slide_down(&mut self, side: &mut Side<'_>) -> bool {
        let slides = self.end < side.lines.len() && side.lines[self.start] == side.lines[self.end];
        if slides {
            side.is_changed[self.start] = false;
            side.is_changed[self.end] = true;
            self.start += 1;
            self.end = side.end_of_changes(self.end + 1);
        }
        slides
    }
}

/// The start of the changed lines that end at `end`.
fn start_of_changes(side: &Side<'_>, end: usize) -> usize {
    (0..end).rev().take_while(|&at| side.is_changed(at)).last().unwrap_or(end)
}
