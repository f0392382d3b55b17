class Runner < ApplicationRecord
  scope :paused, -> { where(status: "paused") }
  scope :active, -> { where(status: :active) }
  enum approval_status: { approved: 0, blacklisted: 1 }
end
